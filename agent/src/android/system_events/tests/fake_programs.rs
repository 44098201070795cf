//! Fake programs of phones from API level 23 on. Their output is that of Android's sources.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;

use super::super::super::program::{ProgramOutput, ProgramRunner};

/// Programs with a state, which record the commands that change it.
pub(super) struct FakeProgramRunner {
    level: u32,
    state: RefCell<BTreeMap<String, String>>,
    ran: RefCell<Vec<String>>,
    /// A command that contains the first text fails with the second one as output.
    pub(super) fails: RefCell<Option<(&'static str, &'static str)>>,
    /// A command that contains this text does nothing and reports no error.
    pub(super) ignores: RefCell<Option<&'static str>>,
}

impl FakeProgramRunner {
    pub(super) fn of(level: u32) -> FakeProgramRunner {
        let state = [
            ("airplane", "disabled"),
            ("zone", "Europe/Berlin"),
            ("wifi_on", "1"),
            ("mobile_data", "0"),
        ];
        let state = state.map(|(name, value)| (name.to_owned(), value.to_owned()));
        FakeProgramRunner {
            level,
            state: RefCell::new(state.into()),
            ran: RefCell::default(),
            fails: RefCell::default(),
            ignores: RefCell::default(),
        }
    }

    pub(super) fn set(&self, name: &str, value: &str) {
        self.state
            .borrow_mut()
            .insert(name.to_owned(), value.to_owned());
    }

    pub(super) fn get(&self, name: &str) -> String {
        self.state.borrow().get(name).cloned().unwrap_or_default()
    }

    pub(super) fn state(&self) -> BTreeMap<String, String> {
        self.state.borrow().clone()
    }

    pub(super) fn take_ran(&self) -> Vec<String> {
        self.ran.take()
    }

    /// The output of a command that changes nothing.
    fn query(&self, words: &[&str]) -> Option<String> {
        let since = |from: u32, answer: &str| (self.level >= from).then(|| answer.to_owned());
        let answer = match words {
            ["cmd", "activity", "help"] => {
                since(26, "broadcast [--user <USER_ID>]\n send-trim-memory")
            }
            ["am", "help"] => since(23, "am broadcast [--user]\n am send-trim-memory"),
            ["cmd", "connectivity", "airplane-mode"] => since(28, &self.get("airplane")),
            ["svc", "wifi"] => since(23, "usage: svc wifi [enable|disable]"),
            ["cmd", "locale", "get-app-locales", package, "--user", user] => {
                let locales = self.get(package);
                since(
                    33,
                    &format!("Locales for {package} for user {user} are [{locales}]\n"),
                )
            }
            ["cmd", "alarm", "help"] => since(28, "  set-timezone TZ"),
            ["cmd", "deviceidle", "help"] => since(24, "force-idle [light|deep]"),
            ["dumpsys", "deviceidle", "help"] => since(23, "force-idle"),
            ["getprop", "persist.sys.timezone"] => since(23, &self.get("zone")),
            ["getprop", name] => since(23, &self.get(name)),
            ["settings", "get", "global", name] => since(23, &self.get(name)),
            _ => return None,
        };
        Some(answer.unwrap_or_else(|| "cmd: Can't find service".to_owned()))
    }
}

impl ProgramRunner for &FakeProgramRunner {
    fn run(&self, words: &[&str]) -> io::Result<ProgramOutput> {
        if let Some(text) = self.query(words) {
            return Ok(ProgramOutput {
                text,
                succeeded: true,
            });
        }
        let line = words.join(" ");
        self.ran.borrow_mut().push(line.clone());
        if let Some((_, text)) = self.fails.borrow().filter(|(part, _)| line.contains(part)) {
            return Ok(ProgramOutput {
                text: text.to_owned(),
                succeeded: false,
            });
        }
        match words {
            _ if self
                .ignores
                .borrow()
                .is_some_and(|part| line.contains(part)) => {}
            ["cmd", "connectivity", "airplane-mode", "enable"] => self.set("airplane", "enabled"),
            ["cmd", "connectivity", "airplane-mode", "disable"] => self.set("airplane", "disabled"),
            ["svc", "wifi", to] => self.set("wifi_on", if *to == "enable" { "1" } else { "0" }),
            ["svc", "data", to] => self.set("mobile_data", if *to == "enable" { "1" } else { "0" }),
            [
                "cmd",
                "locale",
                "set-app-locales",
                app,
                "--user",
                _,
                "--locales",
                tags,
            ] => self.set(app, tags),
            ["cmd", "locale", "set-app-locales", app, "--user", _] => {
                self.state.borrow_mut().remove(*app);
            }
            ["cmd", "alarm", "set-timezone", id] if id.contains('/') => self.set("zone", id),
            [.., "deviceidle", "force-idle"] => self.set("idle", "IDLE"),
            [.., "deviceidle", "unforce"] => {
                self.state.borrow_mut().remove("idle");
            }
            _ => {}
        }
        Ok(ProgramOutput {
            text: String::new(),
            succeeded: true,
        })
    }
}
