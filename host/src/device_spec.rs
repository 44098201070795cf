//! Device specs: phones as `--device`, `retap.toml` and `run.json` name them. They are parsed and printed here and nowhere
//! else.

mod adb;
mod error;
mod list;
mod paired;
mod simulated;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

pub use adb::{AdbDeviceSpec, AdbOptions};
pub use error::DeviceSpecError;
pub use list::{DeviceCountError, DeviceList, DeviceSelector, PhoneSelection};
pub use paired::PairedDeviceSpec;
pub use simulated::SimulatedDeviceSpec;

use crate::wording::closest_name;

/// Every phone on adb that is ready; only alone.
const ALL: &str = "all";
const ADB: &str = "adb";
const SIMULATED: &str = "sim";
const JVM: &str = "jvm";
/// A JVM phone whose app is trusted.
const TRUSTED_JVM: &str = "jvm-trusted";
const UDP: &str = "udp";
const TCP: &str = "tcp";
/// Kinds of phones, as they stand before the first colon.
const KINDS: [&str; 5] = [SIMULATED, JVM, UDP, TCP, ADB];

/// One phone as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceSpec {
    /// `SERIAL?OPTIONS`, or `adb:SERIAL?OPTIONS` where the serial alone would mean something else.
    Adb(AdbDeviceSpec),
    /// `sim:APP?PARAMETERS`.
    Simulated(SimulatedDeviceSpec),
    /// `jvm:FILE.apk` or `jvm:sample`; `jvm-trusted:` for an app that is not contained.
    Jvm(JvmDeviceSpec),
    /// `udp:ADDRESS?pairing=FILE` or `tcp:ADDRESS?pairing=FILE`.
    Paired(PairedDeviceSpec),
}

/// A JVM phone. Everything after `jvm:` is the file, colons included: a JVM phone has no parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JvmDeviceSpec {
    /// Path of the APK, or `sample`.
    pub file: String,
    pub trust: AppTrust,
}

/// Rights of the code of an app on a JVM phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AppTrust {
    /// `jvm:`: none beyond the phone's own files.
    Contained,
    /// `jvm-trusted:`: those of the user. `--trust` makes it of `jvm:`.
    Trusted,
}

impl JvmDeviceSpec {
    /// The sample app, which comes with Retap.
    pub const SAMPLE: &'static str = "sample";
}

impl DeviceSpec {
    /// The simulated phone with this app and these parameters, as they stand after `sim:`.
    pub fn simulated(text: &str) -> Result<DeviceSpec, DeviceSpecError> {
        Ok(DeviceSpec::Simulated(text.parse()?))
    }

    /// The JVM phone with this file.
    fn jvm(file: &str, trust: AppTrust) -> DeviceSpec {
        let file = file.to_owned();
        DeviceSpec::Jvm(JvmDeviceSpec { file, trust })
    }

    /// Name of the phone in events and reports. Options of a phone on adb and trust in an app are no part of it.
    pub fn name(&self) -> String {
        match self {
            DeviceSpec::Adb(adb) => adb.serial.clone(),
            DeviceSpec::Jvm(jvm) => format!("{JVM}:{}", jvm.file),
            other => other.to_string(),
        }
    }

    /// Name without kind, folders and parameters, for tables.
    pub fn short_name(&self) -> String {
        match self {
            DeviceSpec::Simulated(simulated) => simulated.app().to_owned(),
            DeviceSpec::Jvm(jvm) => {
                let file = jvm.file.rsplit(['/', ':']).next();
                file.unwrap_or_default().to_owned()
            }
            other => other.name(),
        }
    }

    /// The same phone, with a file that does not depend on the working directory.
    fn with_absolute_path(self) -> DeviceSpec {
        match self {
            DeviceSpec::Jvm(jvm) if jvm.file != JvmDeviceSpec::SAMPLE => {
                DeviceSpec::Jvm(JvmDeviceSpec {
                    file: absolute(Path::new(&jvm.file)),
                    ..jvm
                })
            }
            DeviceSpec::Paired(paired) => {
                let pairing = Some(absolute(paired.pairing_file()));
                DeviceSpec::Paired(PairedDeviceSpec { pairing, ..paired })
            }
            other => other,
        }
    }

    /// True for phones in another process or on another machine. They run on real time.
    pub fn is_linked(&self) -> bool {
        !matches!(self, DeviceSpec::Simulated(_))
    }

    pub fn is_on_adb(&self) -> bool {
        matches!(self, DeviceSpec::Adb(_))
    }

    /// True if both specs name the same phone that exists.
    fn is_same_phone(&self, other: &DeviceSpec) -> bool {
        match (self, other) {
            (DeviceSpec::Adb(one), DeviceSpec::Adb(other)) => one.serial == other.serial,
            (DeviceSpec::Paired(one), DeviceSpec::Paired(other)) => one.address == other.address,
            _ => false,
        }
    }

    /// True if several phones can be made from the spec. The others name one phone that exists.
    fn can_be_multiplied(&self) -> bool {
        matches!(self, DeviceSpec::Simulated(_) | DeviceSpec::Jvm(_))
    }
}

impl FromStr for DeviceSpec {
    type Err = DeviceSpecError;

    fn from_str(text: &str) -> Result<DeviceSpec, DeviceSpecError> {
        let Some((kind, rest)) = text.split_once(':') else {
            return parse_without_kind(text);
        };
        match kind {
            SIMULATED => DeviceSpec::simulated(rest),
            JVM | TRUSTED_JVM if rest.is_empty() => Err(DeviceSpecError::NoFile),
            JVM => Ok(DeviceSpec::jvm(rest, AppTrust::Contained)),
            TRUSTED_JVM => Ok(DeviceSpec::jvm(rest, AppTrust::Trusted)),
            UDP | TCP => Ok(DeviceSpec::Paired(text.parse()?)),
            ADB => Ok(DeviceSpec::Adb(rest.parse()?)),
            _ if is_network_serial(kind, rest) => Ok(DeviceSpec::Adb(text.parse()?)),
            _ => Err(DeviceSpecError::UnknownKind {
                kind: kind.to_owned(),
                guess: guess_kind(kind, rest).map(|guess| format!("{guess}:{rest}")),
            }),
        }
    }
}

fn absolute(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.to_string_lossy().into_owned()
}

/// A serial of adb, unless the text is likely to mean another kind of phone.
fn parse_without_kind(text: &str) -> Result<DeviceSpec, DeviceSpecError> {
    let name = text.split('?').next().unwrap_or_default();
    let is_simulated_app = retap_simulator::about(name).is_some();
    match name {
        "" => Err(DeviceSpecError::Empty),
        ALL => Err(DeviceSpecError::AllAmongOthers),
        _ if KINDS.contains(&name) => Err(DeviceSpecError::KindAlone(name.to_owned())),
        _ if is_simulated_app => Err(DeviceSpecError::AppAlone(text.to_owned())),
        _ if has_apk_extension(name) => Err(DeviceSpecError::FileAlone(text.to_owned())),
        // In a list this comma would be read as part of the phone before it.
        _ if name.starts_with(',') => Err(DeviceSpecError::Empty),
        _ => Ok(DeviceSpec::Adb(text.parse()?)),
    }
}

/// The kind that was meant: by what it names, or else the nearest one.
fn guess_kind(kind: &str, rest: &str) -> Option<&'static str> {
    let name = rest.split('?').next().unwrap_or_default();
    match name {
        _ if has_apk_extension(name) => Some(JVM),
        _ if retap_simulator::about(name).is_some() => Some(SIMULATED),
        _ => closest_name(kind, KINDS.into_iter()),
    }
}

/// True for `192.168.1.7:5555`, `[::1]:5555` and `localhost:5555`: adb lists phones on the network by their addresses.
fn is_network_serial(host: &str, rest: &str) -> bool {
    let port = rest.split('?').next().unwrap_or_default();
    host.contains(|c: char| c == '.' || c == '[' || c.is_ascii_digit())
        || (!host.is_empty() && port.parse::<u16>().is_ok())
}

fn has_apk_extension(name: &str) -> bool {
    let extension = std::path::Path::new(name).extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("apk"))
}

impl fmt::Display for DeviceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceSpec::Adb(adb) => {
                let text = adb.to_string();
                match text.parse() {
                    Ok(DeviceSpec::Adb(same)) if same == *adb => f.write_str(&text),
                    _ => write!(f, "{ADB}:{text}"),
                }
            }
            DeviceSpec::Simulated(simulated) => write!(f, "{SIMULATED}:{simulated}"),
            DeviceSpec::Jvm(jvm) => match jvm.trust {
                AppTrust::Contained => write!(f, "{JVM}:{}", jvm.file),
                AppTrust::Trusted => write!(f, "{TRUSTED_JVM}:{}", jvm.file),
            },
            DeviceSpec::Paired(paired) => paired.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn error(text: &str) -> String {
        text.parse::<DeviceSpec>().unwrap_err().to_string()
    }

    #[test]
    fn each_kind_is_distinguished_from_the_others() {
        for text in [
            "emulator-5554",
            "192.168.1.7:5555",
            "[::1]:5555",
            "localhost:5555",
            "my phone",
            "adb:shop",
        ] {
            assert!(text.parse::<DeviceSpec>().unwrap().is_on_adb(), "{text}");
        }
        for text in ["sim:shop", "sim:mail?noise=0.2&latency=realistic"] {
            assert!(!text.parse::<DeviceSpec>().unwrap().is_linked(), "{text}");
        }
        let file = "C:\\apps\\a?b.apk";
        for (kind, trust) in [
            ("jvm", AppTrust::Contained),
            ("jvm-trusted", AppTrust::Trusted),
        ] {
            let jvm: DeviceSpec = format!("{kind}:{file}").parse().unwrap();
            assert_eq!(jvm, DeviceSpec::jvm(file, trust));
            assert_eq!(jvm.name(), format!("jvm:{file}"));
        }
        let paired: DeviceSpec = "udp:127.0.0.1:9?pairing=a:b.pairing".parse().unwrap();
        assert!(matches!(paired, DeviceSpec::Paired(_)));
    }

    #[test]
    fn a_spec_of_the_wrong_kind_is_answered_with_a_guess() {
        for (text, guess) in [
            ("app.apk", "did you mean `jvm:app.apk`?"),
            ("out/App.APK", "did you mean `jvm:out/App.APK`?"),
            ("shop", "did you mean `sim:shop`?"),
            ("forge?seed=3", "did you mean `sim:forge?seed=3`?"),
            ("simm:notes", "did you mean `sim:notes`?"),
            ("jmv:app.apk", "did you mean `jvm:app.apk`?"),
            ("sim:shpo", "did you mean `shop`?"),
            ("sim:notes?sed=1", "did you mean `seed`?"),
            ("sim", "`sim` is a kind of phone"),
            (
                "xyz:thing",
                "kinds are `sim`, `jvm`, `udp`, `tcp` and `adb`",
            ),
        ] {
            assert!(error(text).contains(guess), "{text}: {}", error(text));
        }
    }

    #[test]
    fn specs_that_name_nothing_are_refused() {
        for text in [
            "",
            "jvm:",
            "jvm-trusted:",
            "adb:",
            "udp:nowhere",
            "udp:1.2.3.4:5?key=F",
            "R58M?usr=1",
        ] {
            assert!(text.parse::<DeviceSpec>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_printed_spec_is_parsed_as_the_same(spec in list::tests::any_spec()) {
            prop_assert_eq!(spec.to_string().parse(), Ok(spec));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in ".*") {
            if let Ok(spec) = text.parse::<DeviceSpec>() {
                prop_assert_eq!(spec.to_string().parse(), Ok(spec));
            }
        }
    }
}
