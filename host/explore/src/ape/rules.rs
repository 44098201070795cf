//! What can be set about APE, with the published figures: of the paper, or else of the published code.

use retap_model::ape::ModelRules;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApeRules {
    pub model: ModelRules,
    /// How probably any action of a state is taken where everything nearby is done, instead of the one done least.
    pub epsilon: f64,
    /// A restart comes after so many steps, drawn anew each time.
    pub restart: (u32, u32),
    /// Or after so many that changed nothing in the model.
    pub unchanged: u32,
    /// How probably a restart clears the data.
    pub clear: f64,
    /// How probably a step begins a burst of random events, and how many these are.
    pub fuzz: f64,
    pub burst: (u32, u32),
}

impl Default for ApeRules {
    fn default() -> ApeRules {
        ApeRules {
            model: ModelRules::default(),
            epsilon: 0.05,
            restart: (100, 300),
            unchanged: 50,
            clear: 0.2,
            fuzz: 0.02,
            burst: (5, 15),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownRule {
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

impl ApeRules {
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), UnknownRule> {
        let wrong = |wanted| UnknownRule::Value {
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
            "restart_least" => self.restart = (number()?, self.restart.1.max(number()?)),
            "restart_most" => self.restart = (self.restart.0.min(number()?), number()?),
            "unchanged" => self.unchanged = number()?,
            "clear" => self.clear = share()?,
            "fuzz" => self.fuzz = share()?,
            "burst_least" => self.burst = (number()?, self.burst.1.max(number()?)),
            "burst_most" => self.burst = (self.burst.0.min(number()?), number()?),
            _ => {
                let known = NAMES.map(|name| format!("`{name}`")).join(", ");
                return Err(UnknownRule::Name {
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
            let mut rules = ApeRules::default();
            rules.set(name, value).unwrap();
            assert_ne!(rules, ApeRules::default(), "{name}");
            assert!(
                matches!(rules.set(name, "-1"), Err(UnknownRule::Value { .. })),
                "{name}"
            );
        }
        assert!(matches!(
            ApeRules::default().set("alfa", "3"),
            Err(UnknownRule::Name { .. })
        ));
    }
}
