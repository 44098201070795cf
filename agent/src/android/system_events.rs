//! What comes upon an app from the system, as far as the shell may make it come: through the phone's own programs, each by
//! the newest way that this phone has. What it changes is put back when the app is stopped, on exit, or at the next start.

mod commands;
mod undo_log;

use std::io;
use std::path::Path;
use std::sync::OnceLock;

use commands::{NetworkCommand, SystemCommands, is_airplane_mode};
use retap_shared::action::{SystemEvent, SystemEventKinds};
use retap_shared::protocol::RequestFailure;
use undo_log::UndoLog;

use super::program::ProgramRunner;

const NETWORK: &str = "network";
const TIME_ZONE: &str = "time zone";
const DOZE: &str = "doze";
/// What the activity manager answers where there is nobody left to tell: the app knows already, or has no process.
const IGNORED_ERRORS: [&str; 2] = ["Unable to set a higher trim level", "Unknown process"];

#[derive(Debug)]
pub(crate) struct SystemEventInjector<S> {
    shell: S,
    user: String,
    /// Whether hosts come in by datagrams.
    over_network: bool,
    commands: OnceLock<SystemCommands>,
    undo: UndoLog,
}

impl<S: ProgramRunner> SystemEventInjector<S> {
    /// Puts back what a killed agent has left.
    pub(crate) fn new(shell: S, folder: &Path, user: i32, over_network: bool) -> Self {
        let undo = UndoLog::read(folder.join("system.saved"));
        let mut events = SystemEventInjector {
            shell,
            user: user.to_string(),
            over_network,
            commands: OnceLock::new(),
            undo,
        };
        if let Err(error) = events.undo.undo(None, &events.shell) {
            tracing::warn!(%error, "could not put back what an earlier agent changed: it is tried again");
        }
        events
    }

    pub(crate) fn kinds(&self) -> SystemEventKinds {
        self.commands().kinds()
    }

    /// Lets it come upon `package`.
    pub(crate) fn inject(
        &mut self,
        system: &SystemEvent,
        package: &str,
    ) -> Result<(), RequestFailure> {
        let ways = self.commands();
        let unsupported = || {
            let why = match system {
                SystemEvent::Call | SystemEvent::Message => {
                    "only a modem or root may, the shell may not"
                }
                SystemEvent::Offline | SystemEvent::Online if ways.needs_network => {
                    "it is driven over the very network that would go"
                }
                SystemEvent::Locale(_) => "apps have a language of their own from API level 33 on",
                _ => "it has no program for that",
            };
            RequestFailure::Unsupported(format!("do what the system does: {system}: {why}"))
        };
        if package.is_empty() {
            let why =
                format!("no app is watched that `{system}` could be for: say which with `Watch`");
            return Err(RequestFailure::Impossible(why));
        }
        match system {
            SystemEvent::Call | SystemEvent::Message => Err(unsupported()),
            SystemEvent::Offline => self.go_offline(ways.network.ok_or_else(unsupported)?),
            SystemEvent::Online => {
                ways.network.ok_or_else(unsupported)?;
                self.undo(Some(NETWORK))
            }
            SystemEvent::LowMemory => {
                self.trim_memory(ways.memory.ok_or_else(unsupported)?, package)
            }
            SystemEvent::Locale(_) if !ways.language => Err(unsupported()),
            SystemEvent::Locale(tag) => self.set_language(package, checked_name(tag)?),
            SystemEvent::Broadcast(action) => {
                let activity = ways.broadcast.ok_or_else(unsupported)?;
                let words = [
                    "broadcast",
                    "--user",
                    &self.user,
                    "-a",
                    checked_name(action)?,
                    "-p",
                    package,
                ];
                self.run_checked(&[activity, &words].concat()).map(drop)
            }
            SystemEvent::TimeZone(_) if !ways.time_zone => Err(unsupported()),
            SystemEvent::TimeZone(id) => self.set_time_zone(checked_name(id)?),
            SystemEvent::Doze => self.doze(ways.doze.ok_or_else(unsupported)?),
            SystemEvent::Wake => {
                ways.doze.ok_or_else(unsupported)?;
                self.undo(Some(DOZE))
            }
        }
    }

    /// The app was stopped, or the agent ends.
    pub(crate) fn undo_all(&mut self) -> Result<(), RequestFailure> {
        self.undo(None)
    }

    fn commands(&self) -> SystemCommands {
        *self
            .commands
            .get_or_init(|| SystemCommands::find(&self.shell, &self.user, self.over_network))
    }

    fn go_offline(&mut self, way: NetworkCommand) -> Result<(), RequestFailure> {
        if self.undo.contains(NETWORK) {
            return Ok(());
        }
        if way == NetworkCommand::Airplane {
            let mode = ["cmd", "connectivity", "airplane-mode"];
            let said = self.run_checked(&mode)?;
            return match is_airplane_mode(said.trim()) {
                Some(true) => Ok(()),
                _ => self.change(
                    NETWORK,
                    &[&mode[..], &["disable"]].concat(),
                    &[&mode[..], &["enable"]].concat(),
                ),
            };
        }
        // What was off stays off, and what nobody knows of is left alone: data may cost.
        for (radio, setting) in [("wifi", "wifi_on"), ("data", "mobile_data")] {
            let on = self.run_checked(&["settings", "get", "global", setting])?;
            if on.trim().parse::<u32>().is_ok_and(|on| on > 0) {
                self.change(
                    NETWORK,
                    &["svc", radio, "enable"],
                    &["svc", radio, "disable"],
                )?;
            }
        }
        Ok(())
    }

    /// An app in front is told; one that is not loses its process, as only such ones are killed.
    fn trim_memory(&self, activity: &[&str], package: &str) -> Result<(), RequestFailure> {
        let told = [
            activity,
            &[
                "send-trim-memory",
                "--user",
                &self.user,
                package,
                "RUNNING_CRITICAL",
            ],
        ]
        .concat();
        let said = self
            .shell
            .run(&told)
            .map_err(|error| failed(&told, &error))?;
        if let Some(complaint) = said.error_line()
            && !IGNORED_ERRORS.iter().any(|known| said.text.contains(known))
        {
            return Err(refused(&told, complaint));
        }
        self.run_checked(&[activity, &["kill", "--user", &self.user, package]].concat())
            .map(drop)
    }

    fn set_language(&mut self, package: &str, tag: &str) -> Result<(), RequestFailure> {
        let user = self.user.clone();
        let set = ["cmd", "locale", "set-app-locales", package, "--user", &user];
        let there = [&set[..], &["--locales", tag]].concat();
        let what = format!("language of {package}");
        if self.undo.contains(&what) {
            return self.run_checked(&there).map(drop);
        }
        let said =
            self.run_checked(&["cmd", "locale", "get-app-locales", package, "--user", &user])?;
        let before = said
            .split_once("are [")
            .and_then(|(_, rest)| rest.split_once(']'));
        match before {
            // An empty list is said by saying none.
            Some(("", _)) => self.change(&what, &set, &there),
            Some((before, _)) => {
                self.change(&what, &[&set[..], &["--locales", before]].concat(), &there)
            }
            None => Err(RequestFailure::Phone(format!(
                "`cmd locale` does not tell the language of `{package}`: {said}"
            ))),
        }
    }

    fn set_time_zone(&mut self, id: &str) -> Result<(), RequestFailure> {
        let set = ["cmd", "alarm", "set-timezone"];
        let zone = ["getprop", "persist.sys.timezone"];
        let there = [&set[..], &[id]].concat();
        if self.undo.contains(TIME_ZONE) {
            self.run_checked(&there)?;
        } else {
            let before = self.run_checked(&zone)?;
            self.change(TIME_ZONE, &[&set[..], &[before.trim()]].concat(), &there)?;
        }
        // The program is silent about an id that it does not know.
        let now = self.run_checked(&zone)?;
        if now.trim() == id {
            return Ok(());
        }
        Err(RequestFailure::Impossible(format!(
            "the time zone is `{}` after it was set to `{id}`",
            now.trim()
        )))
    }

    /// Not with the battery unplugged in show: the display would go off, which is kept on by the power.
    fn doze(&mut self, idle: &[&str]) -> Result<(), RequestFailure> {
        if self.undo.contains(DOZE) {
            return Ok(());
        }
        self.change(
            DOZE,
            &[idle, &["unforce"]].concat(),
            &[idle, &["force-idle"]].concat(),
        )
    }

    /// How it is put back is known to the phone before it is done, and forgotten if it was not done.
    fn change(&mut self, what: &str, back: &[&str], there: &[&str]) -> Result<(), RequestFailure> {
        self.undo.record(what, back).map_err(|error| {
            RequestFailure::Phone(format!(
                "`{}` was not done: how to put it back is not saved: {error}",
                there.join(" ")
            ))
        })?;
        let done = self.run_checked(there).map(drop);
        if done.is_err() {
            self.undo(Some(what))?;
        }
        done
    }

    fn undo(&mut self, what: Option<&str>) -> Result<(), RequestFailure> {
        self.undo.undo(what, &self.shell).map_err(|error| {
            RequestFailure::Phone(format!(
                "what the system did could not be put back, it is tried again: {error}"
            ))
        })
    }

    fn run_checked(&self, words: &[&str]) -> Result<String, RequestFailure> {
        let said = self
            .shell
            .run(words)
            .map_err(|error| failed(words, &error))?;
        match said.error_line() {
            Some(complaint) => Err(refused(words, complaint)),
            None => Ok(said.text),
        }
    }
}

/// Whatever else a name had in it would be another argument's business, or a second line's.
fn checked_name(name: &str) -> Result<&str, RequestFailure> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._-+/".contains(c);
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_part) {
        return Ok(name);
    }
    Err(RequestFailure::Impossible(format!(
        "`{name}` is no name of a language, a broadcast or a time zone"
    )))
}

fn failed(words: &[&str], error: &io::Error) -> RequestFailure {
    RequestFailure::Phone(format!("`{}` could not be run: {error}", words.join(" ")))
}

fn refused(words: &[&str], complaint: &str) -> RequestFailure {
    RequestFailure::Unsupported(format!("do `{}`: {complaint}", words.join(" ")))
}

#[cfg(test)]
mod tests;
