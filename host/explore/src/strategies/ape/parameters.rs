//! Parameters of APE. The defaults are those of the paper, or else of the published code.

use retap_model::ape::ModelParameters;

/// Parameters of the strategy `ape`, and of the model of `auto`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApeParameters {
    /// Limits of the model.
    pub model: ModelParameters,
    /// ε: probability of any action of a state instead of the least visited one, where all actions nearby are saturated.
    pub epsilon: f64,
    /// Least and greatest number of events from a start to the next restart; drawn after each start.
    pub restart_after: (u32, u32),
    /// Maximum number of events without a change of the model before a restart.
    pub stagnation_limit: u32,
    /// Probability that a restart clears the app's data.
    pub clear_data_probability: f64,
    /// Probability that a burst of random events begins instead of a chosen action.
    pub burst_probability: f64,
    /// Least and greatest number of events in a burst.
    pub burst_length: (u32, u32),
}

impl Default for ApeParameters {
    fn default() -> ApeParameters {
        ApeParameters {
            model: ModelParameters::default(),
            epsilon: 0.05,
            restart_after: (100, 300),
            stagnation_limit: 50,
            clear_data_probability: 0.2,
            burst_probability: 0.02,
            burst_length: (5, 15),
        }
    }
}

/// A parameter that cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApeParameterError {
    /// No parameter has this name.
    #[error("APE has no parameter `{name}`; known are {known}")]
    Name {
        /// The given name.
        name: String,
        /// All names.
        known: String,
    },
    /// The parameter cannot have this value.
    #[error("APE's `{name}` must be {wanted}, not `{value}`")]
    Value {
        /// Name of the parameter.
        name: String,
        /// The given value.
        value: String,
        /// Values that it can have.
        wanted: &'static str,
    },
}

/// Names of all parameters on the command line and in `retap.toml`.
const NAMES: [&str; 13] = [
    "alpha",
    "beta",
    "states_an_activity",
    "targets",
    "interactive_only",
    "epsilon",
    "restart_least",
    "restart_most",
    "unchanged",
    "clear",
    "fuzz",
    "burst_least",
    "burst_most",
];

impl ApeParameters {
    /// Sets a parameter by its name.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ApeParameterError> {
        let invalid = |wanted| ApeParameterError::Value {
            name: name.to_owned(),
            value: value.to_owned(),
            wanted,
        };
        let probability = || {
            let probability = value
                .parse::<f64>()
                .ok()
                .filter(|probability| (0.0..=1.0).contains(probability));
            probability.ok_or_else(|| invalid("a number from 0 to 1"))
        };
        let count = || {
            let count = value
                .parse::<u32>()
                .ok()
                .filter(|count| (1..=1_000_000).contains(count));
            count.ok_or_else(|| invalid("a whole number from 1 to 1000000"))
        };
        match name {
            "alpha" => self.model.alpha = count()? as usize,
            "beta" => self.model.beta = count()? as usize,
            "states_an_activity" => self.model.states_an_activity = count()? as usize,
            "targets" => self.model.targets = count()? as usize,
            "interactive_only" => {
                self.model.interactive_only =
                    value.parse().map_err(|_| invalid("`true` or `false`"))?;
            }
            "epsilon" => self.epsilon = probability()?,
            "restart_least" => {
                self.restart_after = (count()?, self.restart_after.1.max(count()?));
            }
            "restart_most" => self.restart_after = (self.restart_after.0.min(count()?), count()?),
            "unchanged" => self.stagnation_limit = count()?,
            "clear" => self.clear_data_probability = probability()?,
            "fuzz" => self.burst_probability = probability()?,
            "burst_least" => self.burst_length = (count()?, self.burst_length.1.max(count()?)),
            "burst_most" => self.burst_length = (self.burst_length.0.min(count()?), count()?),
            _ => {
                let known = NAMES.map(|name| format!("`{name}`")).join(", ");
                return Err(ApeParameterError::Name {
                    name: name.to_owned(),
                    known,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_can_be_set_and_an_unknown_name_is_an_error() {
        for name in NAMES {
            let value = if name == "interactive_only" {
                "true"
            } else {
                "1"
            };
            let mut parameters = ApeParameters::default();
            parameters.set(name, value).unwrap();
            assert_ne!(parameters, ApeParameters::default(), "{name}");
            assert!(
                matches!(
                    parameters.set(name, "-1"),
                    Err(ApeParameterError::Value { .. })
                ),
                "{name}"
            );
        }
        assert!(matches!(
            ApeParameters::default().set("alfa", "3"),
            Err(ApeParameterError::Name { .. })
        ));
    }
}
