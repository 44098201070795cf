//! What the phone's shell is told, in what every Android's shell and tools have understood since level 23.

/// The one place where a shell may keep files and load libraries from.
pub(super) const FOLDER: &str = "/data/local/tmp/retap";
pub(super) const LIBRARY: &str = "libretap_agent.so";
pub(super) const JAR: &str = "agent.jar";
pub(super) const NAMES: &str = "names";

/// The user that a shell is where adbd is not root.
const SHELL: u32 = 2000;
/// What only one session needs.
const SESSION_FILES: &str = "agent.pid agent.host agent.log outbox snapshots names";
/// A tenth of a second, or a second where fractions are not known.
const SHORT_SLEEP: &str = "{ sleep 0.1 2>/dev/null || sleep 1; }";

pub(super) struct AgentScripts {
    /// Of the abstract socket: what tells this agent's process from others.
    pub(super) name: String,
    /// Made of the files' content: what is there already is not pushed again.
    pub(super) files: String,
    /// Who starts the agent.
    pub(super) host: String,
    pub(super) user: u32,
    pub(super) keep: bool,
    /// Whether adbd, and with it every command, is root's.
    pub(super) is_root: bool,
    pub(super) names: bool,
}

impl AgentScripts {
    /// Prints the process of an agent that runs, and in the next line who has it, if anybody.
    pub(super) fn find_running_agent() -> String {
        let process = is_process_named("\"$name\"");
        format!(
            "{{ read -r pid name <{FOLDER}/agent.pid && {process} && {{ echo $pid; cat {FOLDER}/agent.host; }}; }} 2>/dev/null"
        )
    }

    pub(super) fn end_orphaned(process: u32) -> String {
        format!(
            "kill {process} 2>/dev/null; {}; true",
            wait_for_end(&process.to_string(), 50)
        )
    }

    /// Everybody may read the files: the process does not stay root's.
    pub(super) fn install_file(&self, part: &str) -> String {
        format!(
            "chmod 755 {FOLDER} {part} && chmod 644 {part}/* && mv {part} {}",
            self.files
        )
    }

    /// Whoever comes second finds the file with the host's name, and does nothing. Ends when the process has said which one it
    /// is: until then it would be taken for one that has ended.
    pub(super) fn start(&self) -> String {
        let AgentScripts {
            name, files, user, ..
        } = self;
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || "-_.@".contains(c) {
                c
            } else {
                ' '
            }
        };
        let host: String = self.host.chars().map(plain).collect();
        let mut options = format!("--name {name} --folder {FOLDER} --user {user}");
        if self.is_root {
            options.push_str(&format!(" --uid {SHELL}"));
        }
        if self.names {
            options.push_str(&format!(" --names {FOLDER}/{NAMES}"));
        }
        let owned = if self.is_root {
            format!("chown -R {SHELL}:{SHELL} . && ")
        } else {
            String::new()
        };
        let main = format!("exec app_process / dev.retap.agent.Main {files}/{LIBRARY} {options}");
        format!(
            "read -r keys && cd {FOLDER} && umask 077 && trap '' HUP PIPE && rm -f agent.host agent.pid && \
             (set -C; echo '{host}' >agent.host) && {owned}\
             (echo \"$keys\" | CLASSPATH={files}/{JAR} setsid sh -c 'echo $$ {name} >agent.pid; {main}' >agent.log 2>&1 &) && \
             {{ i=0; until [ -s agent.pid ] || [ $i -ge 100 ]; do {SHORT_SLEEP}; i=$((i+1)); done; [ -s agent.pid ]; }}"
        )
    }

    /// A number alone would do until the phone restarts and gives it to another process. While one program of a process
    /// takes the place of another it has no words, so they are looked for twice.
    pub(super) fn is_alive(&self) -> String {
        let process = is_process_named(&self.name);
        format!(
            "{{ read -r pid name <{FOLDER}/agent.pid && {{ {process} || {{ {SHORT_SLEEP} && {process}; }}; }}; }} 2>/dev/null"
        )
    }

    /// An agent that was not told to end is ended; what it leaves of the person's settings is put back here.
    pub(super) fn end(&self, told: bool) -> String {
        let AgentScripts { name, user, .. } = self;
        let asked = if told { "" } else { "kill $pid 2>/dev/null; " };
        let settings = format!(
            "if [ -f settings.saved ]; then while read -r space setting value; do \
             if [ \"$value\" = null ]; then settings --user {user} delete $space $setting; \
             else settings --user {user} put $space $setting \"$value\"; fi </dev/null; \
             done <settings.saved; rm -f settings.saved; fi"
        );
        let removed = if self.keep {
            format!("rm -rf {SESSION_FILES}")
        } else {
            format!("cd / && rm -rf {FOLDER}")
        };
        format!(
            "if cd {FOLDER} && read -r pid name <agent.pid && [ \"$name\" = {name} ]; then \
             {asked}{}; {settings}; {removed}; fi >/dev/null 2>&1",
            wait_for_end("$pid", 100)
        )
    }
}

/// Whether `$pid` is a process that has this name among its words.
fn is_process_named(name: &str) -> String {
    format!("tr '\\0' ' ' </proc/$pid/cmdline | grep -qe {name}")
}

/// Waits for the end of a process for so many moments, then ends it. One that has ended and was not yet asked how has no
/// words any more.
fn wait_for_end(process: &str, moments: u32) -> String {
    format!(
        "i=0; while [ -n \"$(tr -d '\\0' </proc/{process}/cmdline 2>/dev/null)\" ] && [ $i -lt {moments} ]; \
         do {SHORT_SLEEP}; i=$((i+1)); done; kill -9 {process} 2>/dev/null"
    )
}
