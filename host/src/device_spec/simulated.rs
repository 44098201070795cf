//! Specs of simulated phones: `APP?noise=0.2&seed=5`, after the `sim:`.

use std::fmt;
use std::str::FromStr;

use super::DeviceSpecError;

const SEED: &str = "seed";
/// Seed of the noise of a generated app, whose `seed` is the one of the app.
const CHANCE: &str = "chance";

/// A simulated phone. App and parameters are known to the simulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedDeviceSpec {
    app: String,
    parameters: Vec<(String, String)>,
}

impl SimulatedDeviceSpec {
    /// The simulated app.
    pub fn app(&self) -> &str {
        &self.app
    }

    /// The same phone with this seed, unless it has one of its own.
    pub fn with_default_seed(&self, seed: u64) -> SimulatedDeviceSpec {
        let mut seeded = self.clone();
        if !seeded.parameters.iter().any(|(name, _)| name == SEED) {
            seeded.parameters.push((SEED.to_owned(), seed.to_string()));
        }
        seeded
    }

    /// The same app on a phone whose noise has this seed.
    pub fn with_noise_seed(&self, seed: u64) -> SimulatedDeviceSpec {
        let name = match self.app.as_str() {
            retap_simulator::FORGE => CHANCE,
            _ => SEED,
        };
        let mut seeded = self.clone();
        seeded.parameters.retain(|(known, _)| known != name);
        seeded.parameters.push((name.to_owned(), seed.to_string()));
        seeded
    }
}

impl FromStr for SimulatedDeviceSpec {
    type Err = DeviceSpecError;

    fn from_str(text: &str) -> Result<SimulatedDeviceSpec, DeviceSpecError> {
        let (app, parameters) = text.split_once('?').unwrap_or((text, ""));
        let parameters = parameters
            .split('&')
            .filter(|parameter| !parameter.is_empty())
            .map(|parameter| parameter.split_once('=').unwrap_or((parameter, "")))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let spec = SimulatedDeviceSpec {
            app: app.to_owned(),
            parameters,
        };
        match retap_simulator::open(&spec.to_string()) {
            Ok(_) => Ok(spec),
            Err(source) => Err(DeviceSpecError::Simulated {
                text: text.to_owned(),
                source,
            }),
        }
    }
}

impl fmt::Display for SimulatedDeviceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.app)?;
        let mut separator = '?';
        for (name, value) in &self.parameters {
            write!(f, "{separator}{name}={value}")?;
            separator = '&';
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_added_where_there_is_none() {
        for (text, seeded) in [
            ("mail", "mail?seed=7"),
            ("mail?noise=0.2", "mail?noise=0.2&seed=7"),
            ("mail?seed=5&noise=0.2", "mail?seed=5&noise=0.2"),
        ] {
            let spec: SimulatedDeviceSpec = text.parse().unwrap();
            assert_eq!(spec.with_default_seed(7).to_string(), seeded);
        }
    }

    #[test]
    fn other_noise_leaves_the_app_as_it_is() {
        for (text, seeded) in [
            ("mail?seed=5&noise=0.2", "mail?noise=0.2&seed=7"),
            ("forge?seed=5&chance=2", "forge?seed=5&chance=7"),
        ] {
            let spec: SimulatedDeviceSpec = text.parse().unwrap();
            assert_eq!(spec.with_noise_seed(7).to_string(), seeded);
        }
    }
}
