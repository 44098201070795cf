//! Specs of phones that `retap phone` serves: `udp:ADDRESS?pairing=FILE` or `tcp:ADDRESS?wait=60&pairing=FILE`.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use super::DeviceSpecError;
use crate::link::ReconnectPolicy;
use crate::link::pairing::{LinkAddress, PAIRING_FILE};

/// A phone at the other end of a link. Everything after `pairing=` is the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairedDeviceSpec {
    pub address: LinkAddress,
    /// Without one it is the file that `retap phone` writes by default.
    pub pairing: Option<String>,
    /// How long a phone that is gone is waited for.
    pub reconnect_timeout: Duration,
}

impl PairedDeviceSpec {
    pub fn pairing_file(&self) -> &Path {
        Path::new(self.pairing.as_deref().unwrap_or(PAIRING_FILE))
    }
}

impl FromStr for PairedDeviceSpec {
    type Err = DeviceSpecError;

    fn from_str(text: &str) -> Result<PairedDeviceSpec, DeviceSpecError> {
        let (address, option) = text.split_once('?').unwrap_or((text, ""));
        let wrong_option = || DeviceSpecError::LinkOption(option.to_owned());
        let (reconnect_timeout, option) = match option.strip_prefix("wait=") {
            Some(rest) => {
                let (seconds, rest) = rest.split_once('&').unwrap_or((rest, ""));
                let seconds: u32 = seconds.parse().map_err(|_| wrong_option())?;
                (Duration::from_secs(seconds.into()), rest)
            }
            None => (ReconnectPolicy::default().reconnect_timeout, option),
        };
        let pairing = match option {
            "" => None,
            _ => {
                let file = option.strip_prefix("pairing=").ok_or_else(wrong_option)?;
                Some(file.to_owned()).filter(|file| !file.is_empty())
            }
        };
        let address = address
            .parse()
            .map_err(|_| DeviceSpecError::Address(address.to_owned()))?;
        Ok(PairedDeviceSpec {
            address,
            pairing,
            reconnect_timeout,
        })
    }
}

impl fmt::Display for PairedDeviceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)?;
        let mut options = Vec::new();
        if self.reconnect_timeout != ReconnectPolicy::default().reconnect_timeout {
            options.push(format!("wait={}", self.reconnect_timeout.as_secs()));
        }
        options.extend(self.pairing.as_ref().map(|file| format!("pairing={file}")));
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
    fn the_pairing_file_is_the_usual_one_unless_it_is_named() {
        let spec = |text: &str| text.parse::<PairedDeviceSpec>().unwrap();
        let plain = spec("tcp:127.0.0.1:4400");
        assert_eq!(plain.pairing_file(), Path::new(PAIRING_FILE));
        let named = spec("tcp:127.0.0.1:4400?pairing=a?b&c.pairing");
        assert_eq!(named.pairing_file(), Path::new("a?b&c.pairing"));
        let patient = "udp:127.0.0.1:4400?wait=5&pairing=wait=6&c";
        assert_eq!(spec(patient).reconnect_timeout, Duration::from_secs(5));
        assert_eq!(spec(patient).pairing_file(), Path::new("wait=6&c"));
        assert_eq!(spec(patient).to_string(), patient);
        assert!(
            "udp:127.0.0.1:4400?wait=x"
                .parse::<PairedDeviceSpec>()
                .is_err()
        );
    }
}
