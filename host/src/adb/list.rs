//! The output of `adb devices`, and remedies for phones that are not ready.

use std::fmt;

/// A phone as adb lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedPhone {
    pub serial: String,
    pub state: AdbState,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdbState {
    Ready,
    Unauthorized,
    Offline,
    NoPermissions,
    /// Recovery, sideload, bootloader, and other modes without apps.
    Other(String),
}

impl AdbState {
    fn named(name: &str) -> AdbState {
        match name {
            "device" => AdbState::Ready,
            "unauthorized" | "authorizing" => AdbState::Unauthorized,
            "offline" | "connecting" | "disconnected" => AdbState::Offline,
            name if name.starts_with("no permissions") => AdbState::NoPermissions,
            name => AdbState::Other(name.to_owned()),
        }
    }

    /// The remedy, as a sentence without a full stop.
    pub fn remedy(&self) -> &'static str {
        match self {
            AdbState::Ready => "nothing needs to be done",
            AdbState::Unauthorized => "look at the phone and allow USB debugging for this computer",
            AdbState::Offline => {
                "plug the cable out and in again, or switch USB debugging off and on; over Wi-Fi use `adb connect` again"
            }
            AdbState::NoPermissions => {
                "this user may not use the USB device: install udev rules for it (Debian: `android-sdk-platform-tools-common`), then plug it in again"
            }
            AdbState::Other(_) => "start Android on it, for instance with `adb reboot`",
        }
    }
}

impl fmt::Display for AdbState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AdbState::Ready => "ready",
            AdbState::Unauthorized => "unauthorized",
            AdbState::Offline => "offline",
            AdbState::NoPermissions => "no permissions",
            AdbState::Other(state) => state,
        })
    }
}

/// Parses the list; `None` if it is not adb's. A serial may have blanks; a tab separates it from the state.
pub fn parse_list(output: &str) -> Option<Vec<ListedPhone>> {
    let mut lines = output
        .lines()
        .filter(|line| !line.starts_with('*') && !line.trim().is_empty());
    if lines.next()?.trim() != "List of devices attached" {
        return None;
    }
    lines
        .map(|line| {
            let (serial, state) = line.rsplit_once('\t')?;
            Some(ListedPhone {
                serial: serial.to_owned(),
                state: AdbState::named(state.trim()),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_of_a_listed_phone_is_recognised() {
        let output = "* daemon not running; starting now at tcp:5037\n* daemon started successfully\n\
            List of devices attached\nR58M\tdevice\nmy phone 2\tunauthorized\n192.168.1.7:5555\toffline\n\
            0A1B\tno permissions (user in plugdev group; are your udev rules wrong?); see [http://x]\nX\trecovery\n\n";
        let list = parse_list(output).unwrap();
        let states: Vec<_> = list
            .iter()
            .map(|listed| (listed.serial.as_str(), &listed.state))
            .collect();
        let recovery = AdbState::Other("recovery".into());
        assert_eq!(
            states,
            [
                ("R58M", &AdbState::Ready),
                ("my phone 2", &AdbState::Unauthorized),
                ("192.168.1.7:5555", &AdbState::Offline),
                ("0A1B", &AdbState::NoPermissions),
                ("X", &recovery),
            ]
        );
    }

    #[test]
    fn output_that_is_not_adbs_is_no_list() {
        assert_eq!(parse_list("List of devices attached\n"), Some(vec![]));
        for output in [
            "",
            "hello",
            "R58M\tdevice\n",
            "List of devices attached\nR58M device\n",
        ] {
            assert_eq!(parse_list(output), None, "{output:?}");
        }
    }
}
