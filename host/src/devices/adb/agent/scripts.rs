//! Shell scripts that run on the phone. They use only what the shell and tools of every Android since level 23 have.

/// The only folder where adb's shell may keep files and load libraries from.
pub(super) const FOLDER: &str = "/data/local/tmp/retap";
pub(super) const LIBRARY: &str = "libretap_agent.so";
pub(super) const JAR: &str = "agent.jar";
pub(super) const NAMES: &str = "names";

/// User id of adb's shell if adbd is not root.
const SHELL: u32 = 2000;
/// Files of one session.
const SESSION_FILES: &str = "agent.pid agent.host agent.log agent.log.old outbox snapshots names";
/// Restores the settings that an agent has left changed; `settings` is the program with its user.
const RESTORE_SETTINGS: &str = "if [ -f settings.saved ]; then while read -r space setting value; do \
     if [ \"$value\" = null ]; then $settings delete $space $setting; \
     else $settings put $space $setting \"$value\"; fi </dev/null; \
     done <settings.saved; rm -f settings.saved; fi";
/// Undoes the system events that an agent has left: each line has a name and the words of a command.
const UNDO_SYSTEM_EVENTS: &str = "if [ -f system.saved ]; then while IFS='\t' read -r event command; do \
     (IFS='\t'; $command) </dev/null; done <system.saved; rm -f system.saved; fi";
/// Sleeps a tenth of a second, or a second if `sleep` takes no fractions.
const SHORT_SLEEP: &str = "{ sleep 0.1 2>/dev/null || sleep 1; }";
/// Waits for an agent whose start was begun by a shell that adb has lost since.
const STARTED: &str = "{ i=0; while [ -e agent.host ] && [ ! -s agent.pid ] && [ $i -lt 50 ]; \
     do { sleep 0.1 2>/dev/null || sleep 1; }; i=$((i+1)); done; }";

pub(super) struct AgentScripts {
    /// Name of the abstract socket. It identifies the process of this agent.
    pub(super) name: String,
    /// Hash of the files. Files that are on the phone already are not pushed again.
    pub(super) files: String,
    /// Name of the host that starts the agent.
    pub(super) host: String,
    pub(super) user: u32,
    pub(super) keep: bool,
    /// True if adbd, and with it every command, runs as root.
    pub(super) is_root: bool,
    pub(super) names: bool,
}

impl AgentScripts {
    /// Prints the process id of a running agent, and in the next line the name of its host, if it has one.
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

    /// Makes the files readable for all users, because the agent's process does not stay root.
    pub(super) fn install_file(&self, part: &str) -> String {
        format!(
            "chmod 755 {FOLDER} {part} && chmod 444 {part}/* && mv {part} {}",
            self.files
        )
    }

    /// Starts the agent. A second host finds the file with the name of the first one, and does nothing. Ends once the process
    /// has written its id: until then it would be taken for one that has ended.
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
             {{ [ ! -e agent.log ] || mv -f agent.log agent.log.old; }} && \
             (set -C; echo '{host}' >agent.host) && {owned}\
             (echo \"$keys\" | CLASSPATH={files}/{JAR} setsid sh -c 'echo $$ {name} >agent.pid; {main}' >agent.log 2>&1 &) && \
             {{ i=0; until [ -s agent.pid ] || [ $i -ge 100 ]; do {SHORT_SLEEP}; i=$((i+1)); done; [ -s agent.pid ]; }}"
        )
    }

    /// Checks the arguments of a process too: after a restart of the phone its id may belong to another one. While a process
    /// executes another program it has no arguments for a moment, so they are read twice.
    pub(super) fn is_alive(&self) -> String {
        let process = is_process_named(&self.name);
        format!(
            "{{ read -r pid name <{FOLDER}/agent.pid && {{ {process} || {{ {SHORT_SLEEP} && {process}; }}; }}; }} 2>/dev/null"
        )
    }

    /// Ends an agent that has not been notified, and undoes what it leaves changed on the phone. It may run again after it was
    /// cut off.
    pub(super) fn end(&self, is_notified: bool) -> String {
        let AgentScripts { name, user, .. } = self;
        let kill = if is_notified {
            ""
        } else {
            "kill $pid 2>/dev/null; "
        };
        let settings = format!("settings='settings --user {user}'; {RESTORE_SETTINGS}");
        let removed = if self.keep {
            format!("rm -rf {SESSION_FILES}")
        } else {
            format!("cd / && rm -rf {FOLDER}")
        };
        format!(
            "if cd {FOLDER} && {STARTED} && read -r pid name <agent.pid && [ \"$name\" = {name} ]; then \
             {kill}{}; {settings}; {UNDO_SYSTEM_EVENTS}; {removed}; fi >/dev/null 2>&1",
            wait_for_end("$pid", 100)
        )
    }
}

/// True if `$pid` is a process with this name among its arguments. The shell drops the NULs between them. Not `tr`: on
/// phones it reads for ever if the process ends meanwhile.
fn is_process_named(name: &str) -> String {
    format!("case \"$(cat /proc/$pid/cmdline)\" in *{name}*) true ;; *) false ;; esac")
}

/// Waits for the end of a process, a number of short sleeps at most, then kills it. A process that has ended but was not
/// waited for has no arguments.
fn wait_for_end(process: &str, moments: u32) -> String {
    format!(
        "i=0; while [ -n \"$(cat /proc/{process}/cmdline 2>/dev/null)\" ] && [ $i -lt {moments} ]; \
         do {SHORT_SLEEP}; i=$((i+1)); done; kill -9 {process} 2>/dev/null"
    )
}
