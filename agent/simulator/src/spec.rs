//! What a simulated phone is asked for by: `sim:NAME?noise=0.2&latency=realistic&seed=5`.

use crate::apps::{ENTRIES, Entry};
use crate::noise::{Latency, Noise};
use crate::phone::SimulatedPhone;

/// Opens a phone with the named app installed and not running. The prefix `sim:` may be left out.
pub fn open(spec: &str) -> Result<SimulatedPhone, SpecError> {
    let spec = spec.strip_prefix("sim:").unwrap_or(spec);
    let (name, parameters) = spec.split_once('?').unwrap_or((spec, ""));
    let entry = entry(name)?;
    let settings = Settings::parse(parameters)?;
    Ok(SimulatedPhone::new((entry.install)(), settings.noise, settings.seed))
}

/// The names of all apps.
pub fn apps() -> &'static [&'static str] {
    NAMES
}

/// One line on what an app is like.
pub fn about(name: &str) -> Option<&'static str> {
    entry(name).ok().map(|entry| entry.about)
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    #[error("there is no simulated app `{name}`{}; there are {}", perhaps(.nearest), listed(NAMES))]
    UnknownApp { name: String, nearest: Option<&'static str> },
    #[error("a simulated phone has no parameter `{name}`{}; it has {}", perhaps(.nearest), listed(PARAMETERS))]
    UnknownParameter { name: String, nearest: Option<&'static str> },
    #[error("`{value}` is not a value of `{parameter}`; give {wanted}")]
    BadValue { parameter: &'static str, value: String, wanted: &'static str },
    #[error("the parameter `{0}` is given twice; give it once")]
    Repeated(&'static str),
}

pub(crate) fn entry(name: &str) -> Result<&'static Entry, SpecError> {
    let found = ENTRIES.iter().find(|entry| entry.name == name);
    found.ok_or_else(|| SpecError::UnknownApp { name: name.to_string(), nearest: nearest(name, NAMES) })
}

const NAMES: &[&str] = &{
    let mut names = [""; ENTRIES.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = ENTRIES[place].name;
        place += 1;
    }
    names
};

const PARAMETERS: &[&str] = &["noise", "flaky", "late_dialog", "latency", "seed"];

#[derive(Debug, Default)]
struct Settings {
    noise: Noise,
    seed: u64,
}

impl Settings {
    fn parse(parameters: &str) -> Result<Settings, SpecError> {
        let mut given = [None; PARAMETERS.len()];
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let place = PARAMETERS.iter().position(|known| *known == name).ok_or_else(|| {
                SpecError::UnknownParameter { name: name.to_string(), nearest: nearest(name, PARAMETERS) }
            })?;
            if given[place].replace(value).is_some() {
                return Err(SpecError::Repeated(PARAMETERS[place]));
            }
        }
        let [noise, flaky, late_dialog, latency, seed] = given;
        let both = noise.map_or(Ok(0.0), |value| probability("noise", value))?;
        Ok(Settings {
            noise: Noise {
                flaky: flaky.map_or(Ok(both), |value| probability("flaky", value))?,
                late_dialog: late_dialog.map_or(Ok(both), |value| probability("late_dialog", value))?,
                latency: latency.map_or(Ok(Latency::None), parse_latency)?,
            },
            seed: seed.map_or(Ok(0), parse_seed)?,
        })
    }
}

fn probability(parameter: &'static str, value: &str) -> Result<f64, SpecError> {
    let wanted = "a probability from 0 to 1";
    let parsed = value.parse().ok().filter(|probability| (0.0..=1.0).contains(probability));
    parsed.ok_or_else(|| SpecError::BadValue { parameter, value: value.to_string(), wanted })
}

fn parse_latency(value: &str) -> Result<Latency, SpecError> {
    match value {
        "none" => Ok(Latency::None),
        "realistic" => Ok(Latency::Realistic),
        _ => {
            let wanted = "`none` or `realistic`";
            Err(SpecError::BadValue { parameter: "latency", value: value.to_string(), wanted })
        }
    }
}

fn parse_seed(value: &str) -> Result<u64, SpecError> {
    let wanted = "a whole number from 0 to 18446744073709551615";
    value.parse().map_err(|_| SpecError::BadValue { parameter: "seed", value: value.to_string(), wanted })
}

fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let scored = known.iter().map(|known| (strsim::jaro_winkler(name, known), *known));
    let best = scored.max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(alike, _)| *alike > 0.7).map(|(_, known)| known)
}

fn perhaps(nearest: &Option<&str>) -> String {
    nearest.map(|nearest| format!(" (did you mean `{nearest}`?)")).unwrap_or_default()
}

fn listed(known: &[&str]) -> String {
    known.iter().map(|known| format!("`{known}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(spec: &str) -> String {
        open(spec).map(|phone| format!("{phone:?}")).unwrap_err().to_string()
    }

    #[test]
    fn every_app_opens_and_has_a_line_about_it() {
        for name in apps() {
            assert!(open(&format!("sim:{name}")).is_ok());
            assert!(about(name).is_some_and(|about| !about.is_empty()));
        }
    }

    #[test]
    fn noise_sets_both_unless_one_of_them_is_given() {
        let phone = open("sim:notes?noise=0.2&flaky=0.5&latency=realistic&seed=5").unwrap();
        let expected = Noise { latency: Latency::Realistic, flaky: 0.5, late_dialog: 0.2 };
        assert_eq!(*phone.noise(), expected);
    }

    #[test]
    fn an_unknown_app_is_answered_with_the_nearest_and_the_list() {
        let error = refused("sim:note");
        assert!(
            error.starts_with("there is no simulated app `note` (did you mean `notes`?); there are `notes`"),
            "{error}"
        );
    }

    #[test]
    fn an_unknown_parameter_is_answered_with_the_nearest_and_the_list() {
        let error = refused("sim:notes?sed=5");
        assert!(error.contains("no parameter `sed` (did you mean `seed`?)"), "{error}");
        assert!(error.contains("`late_dialog`"), "{error}");
    }

    #[test]
    fn a_bad_value_is_answered_with_what_is_wanted() {
        for (spec, expected) in [
            ("sim:notes?seed=five", "`five` is not a value of `seed`; give a whole number from 0"),
            ("sim:notes?noise=1.5", "`1.5` is not a value of `noise`; give a probability from 0 to 1"),
            ("sim:notes?flaky=NaN", "`NaN` is not a value of `flaky`"),
            ("sim:notes?flaky", "`` is not a value of `flaky`"),
            ("sim:notes?latency=fast", "`fast` is not a value of `latency`; give `none` or `realistic`"),
            ("sim:notes?seed=1&seed=2", "the parameter `seed` is given twice"),
        ] {
            let error = refused(spec);
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
