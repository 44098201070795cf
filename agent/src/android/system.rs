//! What comes upon an app from the system, as far as the shell may make it come: through the phone's own programs, each by
//! the newest way that this phone has. What it changes is put back when the app is stopped, on exit, or at the next start.

mod undo;
mod ways;

use std::io;
use std::path::Path;
use std::sync::OnceLock;

use retap_shared::action::{System, SystemKinds};
use retap_shared::protocol::Fault;
use undo::Undo;
use ways::{Network, Ways, is_airplane_mode};

use super::program::Shell;

const NETWORK: &str = "network";
const TIME_ZONE: &str = "time zone";
const DOZE: &str = "doze";
/// What the activity manager answers where there is nobody left to tell: the app knows already, or has no process.
const TOLD: [&str; 2] = ["Unable to set a higher trim level", "Unknown process"];

#[derive(Debug)]
pub(crate) struct SystemEvents<S> {
    shell: S,
    user: String,
    /// Whether hosts come in by datagrams.
    over_network: bool,
    ways: OnceLock<Ways>,
    undo: Undo,
}

impl<S: Shell> SystemEvents<S> {
    /// Puts back what a killed agent has left.
    pub(crate) fn new(shell: S, folder: &Path, user: i32, over_network: bool) -> Self {
        let undo = Undo::read(folder.join("system.saved"));
        let mut events = SystemEvents {
            shell,
            user: user.to_string(),
            over_network,
            ways: OnceLock::new(),
            undo,
        };
        if let Err(error) = events.undo.put_back(None, &events.shell) {
            tracing::warn!(%error, "could not put back what an earlier agent changed: it is tried again");
        }
        events
    }

    pub(crate) fn kinds(&self) -> SystemKinds {
        self.ways().kinds()
    }

    /// Lets it come upon `package`.
    pub(crate) fn perform(&mut self, system: &System, package: &str) -> Result<(), Fault> {
        let ways = self.ways();
        let unsupported = || {
            let why = match system {
                System::Call | System::Message => "only a modem or root may, the shell may not",
                System::Offline | System::Online if ways.needs_network => {
                    "it is driven over the very network that would go"
                }
                System::Locale(_) => "apps have a language of their own from API level 33 on",
                _ => "it has no program for that",
            };
            Fault::Unsupported(format!("do what the system does: {system}: {why}"))
        };
        if package.is_empty() {
            let why =
                format!("no app is watched that `{system}` could be for: say which with `Watch`");
            return Err(Fault::Impossible(why));
        }
        match system {
            System::Call | System::Message => Err(unsupported()),
            System::Offline => self.go_offline(ways.network.ok_or_else(unsupported)?),
            System::Online => {
                ways.network.ok_or_else(unsupported)?;
                self.put_back(Some(NETWORK))
            }
            System::LowMemory => self.shorten_memory(ways.memory.ok_or_else(unsupported)?, package),
            System::Locale(_) if !ways.language => Err(unsupported()),
            System::Locale(tag) => self.set_language(package, named(tag)?),
            System::Broadcast(action) => {
                let activity = ways.broadcast.ok_or_else(unsupported)?;
                let words = [
                    "broadcast",
                    "--user",
                    &self.user,
                    "-a",
                    named(action)?,
                    "-p",
                    package,
                ];
                self.tell(&[activity, &words].concat()).map(drop)
            }
            System::TimeZone(_) if !ways.time_zone => Err(unsupported()),
            System::TimeZone(id) => self.set_time_zone(named(id)?),
            System::Doze => self.doze(ways.doze.ok_or_else(unsupported)?),
            System::Wake => {
                ways.doze.ok_or_else(unsupported)?;
                self.put_back(Some(DOZE))
            }
        }
    }

    /// The app was stopped, or the agent ends.
    pub(crate) fn end(&mut self) -> Result<(), Fault> {
        self.put_back(None)
    }

    fn ways(&self) -> Ways {
        *self
            .ways
            .get_or_init(|| Ways::find(&self.shell, &self.user, self.over_network))
    }

    fn go_offline(&mut self, way: Network) -> Result<(), Fault> {
        if self.undo.knows(NETWORK) {
            return Ok(());
        }
        if way == Network::Airplane {
            let mode = ["cmd", "connectivity", "airplane-mode"];
            let said = self.tell(&mode)?;
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
            let on = self.tell(&["settings", "get", "global", setting])?;
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
    fn shorten_memory(&self, activity: &[&str], package: &str) -> Result<(), Fault> {
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
        if let Some(complaint) = said.complaint()
            && !TOLD.iter().any(|known| said.text.contains(known))
        {
            return Err(refused(&told, complaint));
        }
        self.tell(&[activity, &["kill", "--user", &self.user, package]].concat())
            .map(drop)
    }

    fn set_language(&mut self, package: &str, tag: &str) -> Result<(), Fault> {
        let user = self.user.clone();
        let set = ["cmd", "locale", "set-app-locales", package, "--user", &user];
        let there = [&set[..], &["--locales", tag]].concat();
        let what = format!("language of {package}");
        if self.undo.knows(&what) {
            return self.tell(&there).map(drop);
        }
        let said = self.tell(&["cmd", "locale", "get-app-locales", package, "--user", &user])?;
        let before = said
            .split_once("are [")
            .and_then(|(_, rest)| rest.split_once(']'));
        match before {
            // An empty list is said by saying none.
            Some(("", _)) => self.change(&what, &set, &there),
            Some((before, _)) => {
                self.change(&what, &[&set[..], &["--locales", before]].concat(), &there)
            }
            None => Err(Fault::Phone(format!(
                "`cmd locale` does not tell the language of `{package}`: {said}"
            ))),
        }
    }

    fn set_time_zone(&mut self, id: &str) -> Result<(), Fault> {
        let set = ["cmd", "alarm", "set-timezone"];
        let zone = ["getprop", "persist.sys.timezone"];
        let there = [&set[..], &[id]].concat();
        if self.undo.knows(TIME_ZONE) {
            self.tell(&there)?;
        } else {
            let before = self.tell(&zone)?;
            self.change(TIME_ZONE, &[&set[..], &[before.trim()]].concat(), &there)?;
        }
        // The program is silent about an id that it does not know.
        let now = self.tell(&zone)?;
        if now.trim() == id {
            return Ok(());
        }
        Err(Fault::Impossible(format!(
            "the time zone is `{}` after it was set to `{id}`",
            now.trim()
        )))
    }

    /// Not with the battery unplugged in show: the display would go off, which is kept on by the power.
    fn doze(&mut self, idle: &[&str]) -> Result<(), Fault> {
        if self.undo.knows(DOZE) {
            return Ok(());
        }
        self.change(
            DOZE,
            &[idle, &["unforce"]].concat(),
            &[idle, &["force-idle"]].concat(),
        )
    }

    /// How it is put back is known to the phone before it is done, and forgotten if it was not done.
    fn change(&mut self, what: &str, back: &[&str], there: &[&str]) -> Result<(), Fault> {
        self.undo.remember(what, back).map_err(|error| {
            Fault::Phone(format!(
                "`{}` was not done: how to put it back is not saved: {error}",
                there.join(" ")
            ))
        })?;
        let done = self.tell(there).map(drop);
        if done.is_err() {
            self.put_back(Some(what))?;
        }
        done
    }

    fn put_back(&mut self, what: Option<&str>) -> Result<(), Fault> {
        self.undo.put_back(what, &self.shell).map_err(|error| {
            Fault::Phone(format!(
                "what the system did could not be put back, it is tried again: {error}"
            ))
        })
    }

    fn tell(&self, words: &[&str]) -> Result<String, Fault> {
        let said = self
            .shell
            .run(words)
            .map_err(|error| failed(words, &error))?;
        match said.complaint() {
            Some(complaint) => Err(refused(words, complaint)),
            None => Ok(said.text),
        }
    }
}

/// Whatever else a name had in it would be another argument's business, or a second line's.
fn named(name: &str) -> Result<&str, Fault> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._-+/".contains(c);
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_part) {
        return Ok(name);
    }
    Err(Fault::Impossible(format!(
        "`{name}` is no name of a language, a broadcast or a time zone"
    )))
}

fn failed(words: &[&str], error: &io::Error) -> Fault {
    Fault::Phone(format!("`{}` could not be run: {error}", words.join(" ")))
}

fn refused(words: &[&str], complaint: &str) -> Fault {
    Fault::Unsupported(format!("do `{}`: {complaint}", words.join(" ")))
}

#[cfg(test)]
mod tests;
