//! What can be set about APE, with the published figures: of the paper, or else of the published code.

use retap_model::ape::ModelParameters;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApeParameters {
    pub model: ModelParameters,
    /// How probably any action of a state is taken where everything nearby is done, instead of the one done least.
    pub epsilon: f64,
    /// A restart comes after so many steps, drawn anew each time.
    pub restart_after: (u32, u32),
    /// Or after so many that changed nothing in the model.
    pub stagnation_limit: u32,
    /// How probably a restart clears the data.
    pub clear_data_probability: f64,
    /// How probably a step begins a burst of random events, and how many these are.
    pub burst_probability: f64,
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

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApeParameterError {
    #[error("APE has no setting `{name}`; known are {known}")]
    Name { name: String, known: String },
    #[error("APE's `{name}` is {wanted}, not `{value}`")]
    Value {
        name: String,
        value: String,
        wanted: &'static str,
    },
}

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
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ApeParameterError> {
        let wrong = |wanted| ApeParameterError::Value {
            name: name.to_owned(),
            value: value.to_owned(),
            wanted,
        };
        let share = || {
            let share = value
                .parse::<f64>()
                .ok()
                .filter(|share| (0.0..=1.0).contains(share));
            share.ok_or_else(|| wrong("a number from 0 to 1"))
        };
        let number = || {
            let number = value
                .parse::<u32>()
                .ok()
                .filter(|number| (1..=1_000_000).contains(number));
            number.ok_or_else(|| wrong("a whole number from 1 on"))
        };
        match name {
            "alpha" => self.model.alpha = number()? as usize,
            "beta" => self.model.beta = number()? as usize,
            "states_an_activity" => self.model.states_an_activity = number()? as usize,
            "targets" => self.model.targets = number()? as usize,
            "interactive_only" => {
                self.model.interactive_only =
                    value.parse().map_err(|_| wrong("`true` or `false`"))?;
            }
            "epsilon" => self.epsilon = share()?,
            "restart_least" => {
                self.restart_after = (number()?, self.restart_after.1.max(number()?));
            }
            "restart_most" => self.restart_after = (self.restart_after.0.min(number()?), number()?),
            "unchanged" => self.stagnation_limit = number()?,
            "clear" => self.clear_data_probability = share()?,
            "fuzz" => self.burst_probability = share()?,
            "burst_least" => self.burst_length = (number()?, self.burst_length.1.max(number()?)),
            "burst_most" => self.burst_length = (self.burst_length.0.min(number()?), number()?),
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
    fn every_setting_can_be_set_and_others_are_named() {
        for name in NAMES {
            let value = if name == "interactive_only" {
                "true"
            } else {
                "1"
            };
            let mut rules = ApeParameters::default();
            rules.set(name, value).unwrap();
            assert_ne!(rules, ApeParameters::default(), "{name}");
            assert!(
                matches!(rules.set(name, "-1"), Err(ApeParameterError::Value { .. })),
                "{name}"
            );
        }
        assert!(matches!(
            ApeParameters::default().set("alfa", "3"),
            Err(ApeParameterError::Name { .. })
        ));
    }
}
