//! Specs of phones on adb: `SERIAL`, or `SERIAL?user=10&keep=yes`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::DeviceSpecError;

/// A phone that was unplugged comes back when somebody notices; one that restarts, in a minute or two.
const DEFAULT_RECONNECT_TIMEOUT: Duration = Duration::from_secs(300);

/// A phone on adb and its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdbDeviceSpec {
    pub serial: String,
    /// Android user whose apps are tested.
    pub user: u32,
    /// The agent's files stay on the phone for the next time.
    pub keep_agent: bool,
    /// System events are permitted although the phone may be somebody's own.
    pub allow_system: bool,
    /// How long a phone that is gone is waited for.
    pub reconnect_timeout: Duration,
}

/// Options of the command line that become part of the specs of phones on adb.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AdbOptions {
    pub user: Option<u32>,
    pub keep_agent: bool,
    pub allow_system: bool,
}

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

    /// The same phone with these options; what they do not say stays.
    pub fn with_options(self, options: AdbOptions) -> AdbDeviceSpec {
        AdbDeviceSpec {
            user: options.user.unwrap_or(self.user),
            keep_agent: self.keep_agent || options.keep_agent,
            allow_system: self.allow_system || options.allow_system,
            ..self
        }
    }

    fn set(&mut self, option: &str) -> Result<(), DeviceSpecError> {
        let wrong = || DeviceSpecError::AdbOption(option.to_owned());
        match option.split_once('=').ok_or_else(wrong)? {
            ("user", user) => self.user = user.parse().map_err(|_| wrong())?,
            ("wait", seconds) => {
                let seconds: u32 = seconds.parse().map_err(|_| wrong())?;
                self.reconnect_timeout = Duration::from_secs(seconds.into());
            }
            ("keep", answer) => self.keep_agent = parse_answer(answer).ok_or_else(wrong)?,
            ("system", answer) => self.allow_system = parse_answer(answer).ok_or_else(wrong)?,
            _ => return Err(wrong()),
        }
        Ok(())
    }
}

fn parse_answer(text: &str) -> Option<bool> {
    match text {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

impl FromStr for AdbDeviceSpec {
    type Err = DeviceSpecError;

    fn from_str(text: &str) -> Result<AdbDeviceSpec, DeviceSpecError> {
        let (serial, options) = text.split_once('?').unwrap_or((text, ""));
        if serial.is_empty() {
            return Err(DeviceSpecError::Empty);
        }
        let mut spec = AdbDeviceSpec::of(serial);
        for option in options.split('&').filter(|option| !option.is_empty()) {
            spec.set(option)?;
        }
        Ok(spec)
    }
}

impl fmt::Display for AdbDeviceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AdbDeviceSpec {
            serial,
            user,
            keep_agent,
            allow_system,
            reconnect_timeout,
        } = self;
        let mut options = Vec::new();
        if *user != 0 {
            options.push(format!("user={user}"));
        }
        if *keep_agent {
            options.push("keep=yes".to_owned());
        }
        if *allow_system {
            options.push("system=yes".to_owned());
        }
        if *reconnect_timeout != DEFAULT_RECONNECT_TIMEOUT {
            options.push(format!("wait={}", reconnect_timeout.as_secs()));
        }
        f.write_str(serial)?;
        match options.is_empty() {
            true => Ok(()),
            false => write!(f, "?{}", options.join("&")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_phone_are_read_or_refused() {
        let plain = AdbDeviceSpec::of("my phone");
        assert_eq!("my phone".parse(), Ok(plain.clone()));
        assert_eq!(
            "my phone?user=10&keep=yes&system=yes&wait=5".parse(),
            Ok(AdbDeviceSpec {
                user: 10,
                keep_agent: true,
                allow_system: true,
                reconnect_timeout: Duration::from_secs(5),
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
    fn options_of_the_command_line_win_over_those_of_the_spec() {
        let spec: AdbDeviceSpec = "b?user=1&system=yes".parse().unwrap();
        let options = AdbOptions {
            user: Some(10),
            keep_agent: true,
            allow_system: false,
        };
        let expected = "b?user=10&keep=yes&system=yes";
        assert_eq!(spec.clone().with_options(options).to_string(), expected);
        assert_eq!(spec.clone().with_options(AdbOptions::default()), spec);
    }
}
