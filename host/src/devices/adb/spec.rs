//! Phones on adb as a user names them: `SERIAL`, `SERIAL?user=10`, or several with commas between them.

use std::str::FromStr;
use std::time::Duration;

/// One phone, and what is different about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdbDeviceSpec {
    pub serial: String,
    /// The Android user whose apps are tested.
    pub user: u32,
    /// Whether the agent's files stay on the phone for the next time.
    pub keep_agent: bool,
    /// Whether system events may come upon it although it may be somebody's own.
    pub allow_system: bool,
    /// How long a phone that is gone is waited for.
    pub reconnect_timeout: Duration,
}

/// One that was unplugged comes back when somebody notices; one that restarts, in a minute or two.
const DEFAULT_RECONNECT_TIMEOUT: Duration = Duration::from_secs(300);

impl AdbDeviceSpec {
    pub fn of(serial: &str) -> AdbDeviceSpec {
        AdbDeviceSpec {
            serial: serial.to_owned(),
            user: 0,
            keep_agent: false,
            allow_system: false,
            reconnect_timeout: DEFAULT_RECONNECT_TIMEOUT,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` says nothing about a phone on adb")]
pub struct AdbDeviceSpecError(String);

impl AdbDeviceSpecError {
    pub fn help(&self) -> String {
        "write `SERIAL`, `SERIAL?user=10`, `SERIAL?keep=yes`, `SERIAL?system=yes`, `SERIAL?wait=SECONDS`, or several with `&` between them".into()
    }
}

impl FromStr for AdbDeviceSpec {
    type Err = AdbDeviceSpecError;

    fn from_str(text: &str) -> Result<AdbDeviceSpec, AdbDeviceSpecError> {
        let (serial, parameters) = text.split_once('?').unwrap_or((text, ""));
        let mut spec = AdbDeviceSpec::of(serial);
        for parameter in parameters
            .split('&')
            .filter(|parameter| !parameter.is_empty())
        {
            let wrong = || AdbDeviceSpecError(parameter.to_owned());
            match parameter.split_once('=').ok_or_else(wrong)? {
                ("user", user) => spec.user = user.parse().map_err(|_| wrong())?,
                ("wait", seconds) => {
                    spec.reconnect_timeout =
                        Duration::from_secs(seconds.parse::<u32>().map_err(|_| wrong())?.into());
                }
                ("keep", "yes") => spec.keep_agent = true,
                ("keep", "no") => spec.keep_agent = false,
                ("system", "yes") => spec.allow_system = true,
                ("system", "no") => spec.allow_system = false,
                _ => return Err(wrong()),
            }
        }
        Ok(spec)
    }
}

/// The same phones with what the options of the command line say.
pub fn with_options(phones: &str, user: Option<u32>, keep: bool, system: bool) -> String {
    let mut options: Vec<String> = user
        .map(|user| format!("user={user}"))
        .into_iter()
        .collect();
    if keep {
        options.push("keep=yes".to_owned());
    }
    if system {
        options.push("system=yes".to_owned());
    }
    let options = options.join("&");
    let with = |phone: &str| match (options.is_empty(), phone.contains('?')) {
        (true, _) => phone.to_owned(),
        (false, false) => format!("{phone}?{options}"),
        (false, true) => format!("{phone}&{options}"),
    };
    phones.split(',').map(with).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_about_a_phone_is_read_or_refused() {
        let plain = AdbDeviceSpec::of("my phone");
        assert_eq!("my phone".parse(), Ok(plain.clone()));
        let wait = Duration::from_secs(5);
        assert_eq!(
            "my phone?user=10&keep=yes&system=yes&wait=5".parse(),
            Ok(AdbDeviceSpec {
                user: 10,
                keep_agent: true,
                allow_system: true,
                reconnect_timeout: wait,
                ..plain
            })
        );
        for wrong in [
            "x?user=me",
            "x?user=-1",
            "x?keep=maybe",
            "x?usr=1",
            "x?user",
            "x?wait=long",
        ] {
            assert!(wrong.parse::<AdbDeviceSpec>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn options_hold_for_every_phone_and_win() {
        assert_eq!(with_options("a,b", None, false, false), "a,b");
        assert_eq!(
            with_options("a,b?user=1", Some(10), true, false),
            "a?user=10&keep=yes,b?user=1&user=10&keep=yes"
        );
        assert_eq!(with_options("a", None, false, true), "a?system=yes");
        assert_eq!(
            "b?user=1&user=10".parse::<AdbDeviceSpec>().unwrap().user,
            10
        );
    }
}
