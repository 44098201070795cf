//! Injects system events through the phone's programs, as far as the shell may, each by the newest command of this phone.
//! Changes are undone when the app is stopped, on exit, or at the next start.

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

/// Names of changes in the undo log.
const NETWORK: &str = "network";
const TIME_ZONE: &str = "time zone";
const DOZE: &str = "doze";
/// Errors of the activity manager if no process needs the event: the app has it already, or has no process.
const IGNORED_ERRORS: [&str; 2] = ["Unable to set a higher trim level", "Unknown process"];

/// Injects system events.
#[derive(Debug)]
pub(crate) struct SystemEventInjector<S> {
    programs: S,
    user: String,
    /// True if the host connects over the network.
    over_network: bool,
    commands: OnceLock<SystemCommands>,
    undo: UndoLog,
}

impl<S: ProgramRunner> SystemEventInjector<S> {
    /// Undoes the changes of an agent that was killed.
    pub(crate) fn new(programs: S, folder: &Path, user: i32, over_network: bool) -> Self {
        let undo = UndoLog::read(folder.join("system.saved"));
        let mut injector = SystemEventInjector {
            programs,
            user: user.to_string(),
            over_network,
            commands: OnceLock::new(),
            undo,
        };
        if let Err(error) = injector.undo.undo(None, &injector.programs) {
            tracing::warn!(%error, "could not undo the changes of an earlier agent: the next stop tries again");
        }
        injector
    }

    /// The kinds of system events that this phone can inject.
    pub(crate) fn kinds(&self) -> SystemEventKinds {
        self.commands().kinds()
    }

    /// Injects an event for `package`.
    pub(crate) fn inject(
        &mut self,
        event: &SystemEvent,
        package: &str,
    ) -> Result<(), RequestFailure> {
        if package.is_empty() {
            let why = format!("no app is watched: send `WatchApp` before `{event}`");
            return Err(RequestFailure::Impossible(why));
        }
        let commands = self.commands();
        let unsupported = || unsupported(event, &commands);
        match event {
            SystemEvent::Call | SystemEvent::Message => Err(unsupported()),
            SystemEvent::Offline => self.go_offline(commands.network.ok_or_else(unsupported)?),
            SystemEvent::Online => {
                commands.network.ok_or_else(unsupported)?;
                self.undo(Some(NETWORK))
            }
            SystemEvent::LowMemory => {
                self.trim_memory(commands.memory.ok_or_else(unsupported)?, package)
            }
            SystemEvent::Locale(_) if !commands.language => Err(unsupported()),
            SystemEvent::Locale(tag) => self.set_language(package, checked_name(tag)?),
            SystemEvent::Broadcast(action) => {
                let activity = commands.broadcast.ok_or_else(unsupported)?;
                self.send_broadcast(activity, checked_name(action)?, package)
            }
            SystemEvent::TimeZone(_) if !commands.time_zone => Err(unsupported()),
            SystemEvent::TimeZone(id) => self.set_time_zone(checked_name(id)?),
            SystemEvent::Doze => self.doze(commands.doze.ok_or_else(unsupported)?),
            SystemEvent::Wake => {
                commands.doze.ok_or_else(unsupported)?;
                self.undo(Some(DOZE))
            }
        }
    }

    fn send_broadcast(
        &self,
        activity: &[&str],
        action: &str,
        package: &str,
    ) -> Result<(), RequestFailure> {
        let arguments = [
            "broadcast",
            "--user",
            &self.user,
            "-a",
            action,
            "-p",
            package,
        ];
        self.run_checked(&[activity, &arguments].concat()).map(drop)
    }

    /// Undoes all changes, because the app was stopped or the agent ends.
    pub(crate) fn undo_all(&mut self) -> Result<(), RequestFailure> {
        self.undo(None)
    }

    fn commands(&self) -> SystemCommands {
        *self
            .commands
            .get_or_init(|| SystemCommands::find(&self.programs, &self.user, self.over_network))
    }

    fn go_offline(&mut self, command: NetworkCommand) -> Result<(), RequestFailure> {
        if self.undo.contains(NETWORK) {
            return Ok(());
        }
        match command {
            NetworkCommand::Airplane => self.switch_airplane_mode_on(),
            NetworkCommand::Radios => self.switch_radios_off(),
        }
    }

    fn switch_airplane_mode_on(&mut self) -> Result<(), RequestFailure> {
        let mode = ["cmd", "connectivity", "airplane-mode"];
        if is_airplane_mode(self.run_checked(&mode)?.trim()) == Some(true) {
            return Ok(());
        }
        let enable = [&mode[..], &["enable"]].concat();
        self.change(NETWORK, &[&mode[..], &["disable"]].concat(), &enable)?;
        // Vendors accept the command and ignore it, or do half of it.
        let now = self.run_checked(&mode);
        if let Ok(now) = &now
            && is_airplane_mode(now.trim()) == Some(true)
        {
            return Ok(());
        }
        self.undo(Some(NETWORK))?;
        now.and_then(|_| Err(refused(&enable, "airplane mode is off after it")))
    }

    /// Switches off the radios that are known to be on: one that the undo switched on might cost money. Their states are read
    /// first, so that no radio is off alone.
    fn switch_radios_off(&mut self) -> Result<(), RequestFailure> {
        let mut on = Vec::new();
        for (radio, setting) in [("wifi", "wifi_on"), ("data", "mobile_data")] {
            let state = self.run_checked(&["settings", "get", "global", setting])?;
            if state.trim().parse::<u32>().is_ok_and(|state| state > 0) {
                on.push(radio);
            }
        }
        for radio in on {
            let enable = ["svc", radio, "enable"];
            self.change(NETWORK, &enable, &["svc", radio, "disable"])?;
        }
        Ok(())
    }

    /// Notifies an app in front. An app in the background loses its process: `kill` ends such processes only.
    fn trim_memory(&self, activity: &[&str], package: &str) -> Result<(), RequestFailure> {
        let command = [
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
        let output = self
            .programs
            .run(&command)
            .map_err(|error| failed(&command, &error))?;
        if let Some(message) = output.error_line()
            && !IGNORED_ERRORS
                .iter()
                .any(|ignored| output.text.contains(ignored))
        {
            return Err(refused(&command, message));
        }
        self.run_checked(&[activity, &["kill", "--user", &self.user, package]].concat())
            .map(drop)
    }

    fn set_language(&mut self, package: &str, tag: &str) -> Result<(), RequestFailure> {
        let user = self.user.clone();
        let set = ["cmd", "locale", "set-app-locales", package, "--user", &user];
        let set_new = [&set[..], &["--locales", tag]].concat();
        let name = format!("language of {package}");
        if self.undo.contains(&name) {
            return self.run_checked(&set_new).map(drop);
        }
        let output =
            self.run_checked(&["cmd", "locale", "get-app-locales", package, "--user", &user])?;
        let before = output
            .split_once("are [")
            .and_then(|(_, rest)| rest.split_once(']'));
        match before {
            // Without `--locales` the list becomes empty.
            Some(("", _)) => self.change(&name, &set, &set_new),
            Some((before, _)) => {
                let set_old = [&set[..], &["--locales", before]].concat();
                self.change(&name, &set_old, &set_new)
            }
            None => Err(RequestFailure::Phone(format!(
                "`cmd locale` does not print the language of `{package}`: {output}"
            ))),
        }
    }

    fn set_time_zone(&mut self, id: &str) -> Result<(), RequestFailure> {
        let set = ["cmd", "alarm", "set-timezone"];
        let zone = ["getprop", "persist.sys.timezone"];
        let set_new = [&set[..], &[id]].concat();
        if self.undo.contains(TIME_ZONE) {
            self.run_checked(&set_new)?;
        } else {
            let before = self.run_checked(&zone)?;
            let set_old = [&set[..], &[before.trim()]].concat();
            self.change(TIME_ZONE, &set_old, &set_new)?;
        }
        // The program does not report an unknown id.
        let now = self.run_checked(&zone)?;
        if now.trim() == id {
            return Ok(());
        }
        Err(RequestFailure::Impossible(format!(
            "the time zone is `{}` after it was set to `{id}`",
            now.trim()
        )))
    }

    /// Forces doze without simulating an unplugged battery: the display would go off, which the power supply keeps on.
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

    /// Records the undo command before it runs the command, and undoes the change if that fails.
    fn change(
        &mut self,
        name: &str,
        undo_command: &[&str],
        command: &[&str],
    ) -> Result<(), RequestFailure> {
        self.undo.record(name, undo_command).map_err(|error| {
            RequestFailure::Phone(format!(
                "`{}` was not run, because its undo could not be saved: {error}",
                command.join(" ")
            ))
        })?;
        let changed = self.run_checked(command).map(drop);
        if changed.is_err() {
            self.undo(Some(name))?;
        }
        changed
    }

    fn undo(&mut self, name: Option<&str>) -> Result<(), RequestFailure> {
        self.undo.undo(name, &self.programs).map_err(|error| {
            RequestFailure::Phone(format!(
                "could not undo a system event, the next stop tries again: {error}"
            ))
        })
    }

    fn run_checked(&self, command: &[&str]) -> Result<String, RequestFailure> {
        let output = self
            .programs
            .run(command)
            .map_err(|error| failed(command, &error))?;
        match output.error_line() {
            Some(message) => Err(refused(command, message)),
            None => Ok(output.text),
        }
    }
}

/// Why this phone cannot inject the event.
fn unsupported(event: &SystemEvent, commands: &SystemCommands) -> RequestFailure {
    let why = match event {
        SystemEvent::Call | SystemEvent::Message => "only a modem or root may, the shell may not",
        SystemEvent::Offline | SystemEvent::Online if commands.needs_network => {
            "the host is connected over the network that would be switched off"
        }
        SystemEvent::Locale(_) => "apps have a language of their own from API level 33 on",
        _ => "it has no program for that",
    };
    RequestFailure::Unsupported(format!("inject the system event `{event}`: {why}"))
}

/// Refuses a name with characters that could end its argument or its line of the undo log.
fn checked_name(name: &str) -> Result<&str, RequestFailure> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._-+/".contains(c);
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_part) {
        return Ok(name);
    }
    Err(RequestFailure::Impossible(format!(
        "`{name}` is not the name of a language, a broadcast or a time zone"
    )))
}

fn failed(command: &[&str], error: &io::Error) -> RequestFailure {
    RequestFailure::Phone(format!("could not run `{}`: {error}", command.join(" ")))
}

fn refused(command: &[&str], message: &str) -> RequestFailure {
    RequestFailure::Unsupported(format!("run `{}`: {message}", command.join(" ")))
}

#[cfg(test)]
mod tests;
