//! Specs of simulated phones: `sim:NAME?noise=0.2&latency=realistic&seed=5`.

use crate::apps::{ENTRIES, SimulatedAppEntry, UNCOUNTED_ENTRIES};
use crate::forge::{self, ForgeSpec};
use crate::noise::{Latency, Noise, SnapshotCost};
use crate::phone::SimulatedPhone;

/// Opens a phone with the named app installed and not running. The prefix `sim:` may be omitted.
pub fn open(spec: &str) -> Result<SimulatedPhone, SimulatorSpecError> {
    let (name, parameters) = parts(spec);
    if name == FORGE {
        let given = SpecParameters::parse(parameters, FORGE_PARAMETERS)?;
        let parameters = given.forge_spec()?;
        let chance = given.read("chance", seed)?.unwrap_or(parameters.seed);
        given.read("temperature", temperatures)?;
        return Ok(SimulatedPhone::new(
            forge::install(&parameters),
            given.noise()?,
            chance,
        ));
    }
    let entry = entry(name)?;
    let given = SpecParameters::parse(parameters, PARAMETERS)?;
    let seed = given.read("seed", seed)?.unwrap_or_default();
    given.read("temperature", temperatures)?;
    Ok(SimulatedPhone::new((entry.install)(), given.noise()?, seed))
}

/// Temperatures in °C that the phone of a spec tells, one for each minute; empty if it tells none.
pub fn temperatures_of(spec: &str) -> Vec<f32> {
    let (name, parameters) = parts(spec);
    let known = if name == FORGE {
        FORGE_PARAMETERS
    } else {
        PARAMETERS
    };
    SpecParameters::parse(parameters, known)
        .and_then(|given| given.read("temperature", temperatures))
        .ok()
        .flatten()
        .unwrap_or_default()
}

/// The name of generated apps.
pub const FORGE: &str = "forge";

/// Parameters of a generated app, if the spec names one.
pub(crate) fn forge_spec(spec: &str) -> Result<Option<ForgeSpec>, SimulatorSpecError> {
    let (name, parameters) = parts(spec);
    if name != FORGE {
        return Ok(None);
    }
    SpecParameters::parse(parameters, FORGE_PARAMETERS)?
        .forge_spec()
        .map(Some)
}

fn parts(spec: &str) -> (&str, &str) {
    let spec = spec.strip_prefix("sim:").unwrap_or(spec);
    spec.split_once('?').unwrap_or((spec, ""))
}

/// The names of all apps but the generated ones and those of `uncounted_app_names`.
pub fn app_names() -> &'static [&'static str] {
    NAMES
}

/// The names of the apps whose crashes depend on more than the steps. Benchmarks leave them out.
pub fn uncounted_app_names() -> &'static [&'static str] {
    UNCOUNTED_NAMES
}

/// Description of an app in one line.
pub fn about(name: &str) -> Option<&'static str> {
    let made = (name == FORGE)
        .then_some("apps made from a seed: sim:forge?seed=7&activities=20&depth=4&hidden=0.3");
    made.or_else(|| entry(name).ok().map(|entry| entry.about))
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimulatorSpecError {
    #[error("there is no simulated app `{name}`{}; there are {}, {}, and `{FORGE}`", perhaps(.nearest), listed(NAMES), listed(UNCOUNTED_NAMES))]
    UnknownApp {
        name: String,
        nearest: Option<&'static str>,
    },
    #[error("a simulated phone has no parameter `{name}`{}; it has {}", perhaps(.nearest), listed(.known))]
    UnknownParameter {
        name: String,
        nearest: Option<&'static str>,
        known: &'static [&'static str],
    },
    #[error("`{value}` is not a value of `{parameter}`; give {wanted}")]
    BadValue {
        parameter: &'static str,
        value: String,
        wanted: &'static str,
    },
    #[error("the parameter `{0}` is given twice; give it once")]
    Repeated(&'static str),
}

pub(crate) fn entry(name: &str) -> Result<&'static SimulatedAppEntry, SimulatorSpecError> {
    let found = ENTRIES
        .iter()
        .chain(UNCOUNTED_ENTRIES)
        .find(|entry| entry.name == name);
    found.ok_or_else(|| SimulatorSpecError::UnknownApp {
        name: name.to_string(),
        nearest: nearest(name, NAMES),
    })
}

const NAMES: &[&str] = &names::<{ ENTRIES.len() }>(ENTRIES);
const UNCOUNTED_NAMES: &[&str] = &names::<{ UNCOUNTED_ENTRIES.len() }>(UNCOUNTED_ENTRIES);

const fn names<const COUNT: usize>(entries: &[SimulatedAppEntry]) -> [&'static str; COUNT] {
    let mut names = [""; COUNT];
    let mut place = 0;
    while place < COUNT {
        names[place] = entries[place].name;
        place += 1;
    }
    names
}

const PARAMETERS: &[&str] = &[
    "noise",
    "flaky",
    "late_dialog",
    "latency",
    "snapshot",
    "seed",
    "temperature",
];

/// Parameters of a generated app: the phone's and the app's. `chance` seeds another run of the same app.
const FORGE_PARAMETERS: &[&str] = &[
    "noise",
    "flaky",
    "late_dialog",
    "latency",
    "snapshot",
    "seed",
    "temperature",
    "chance",
    "activities",
    "depth",
    "hidden",
    "widgets",
];

/// The given parameters: each known, and each given once.
struct SpecParameters<'a>(Vec<(&'static str, &'a str)>);

impl<'a> SpecParameters<'a> {
    fn parse(
        parameters: &'a str,
        known: &'static [&'static str],
    ) -> Result<SpecParameters<'a>, SimulatorSpecError> {
        let mut given = SpecParameters(Vec::new());
        for parameter in parameters
            .split('&')
            .filter(|parameter| !parameter.is_empty())
        {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let found = known.iter().find(|known| **known == name);
            let name = *found.ok_or_else(|| SimulatorSpecError::UnknownParameter {
                name: name.to_string(),
                nearest: nearest(name, known),
                known,
            })?;
            if given.get(name).is_some() {
                return Err(SimulatorSpecError::Repeated(name));
            }
            given.0.push((name, value));
        }
        Ok(given)
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        self.0
            .iter()
            .find(|(given, _)| *given == name)
            .map(|(_, value)| *value)
    }

    fn read<T>(
        &self,
        name: &'static str,
        parse: impl Fn(&'static str, &str) -> Result<T, SimulatorSpecError>,
    ) -> Result<Option<T>, SimulatorSpecError> {
        self.get(name).map(|value| parse(name, value)).transpose()
    }

    fn noise(&self) -> Result<Noise, SimulatorSpecError> {
        let both = self.read("noise", probability)?.unwrap_or_default();
        Ok(Noise {
            flaky: self.read("flaky", probability)?.unwrap_or(both),
            late_dialog: self.read("late_dialog", probability)?.unwrap_or(both),
            latency: self.read("latency", latency)?.unwrap_or_default(),
            snapshot: self.read("snapshot", snapshot)?.unwrap_or_default(),
        })
    }

    fn forge_spec(&self) -> Result<ForgeSpec, SimulatorSpecError> {
        Ok(ForgeSpec {
            seed: self.read("seed", seed)?.unwrap_or_default(),
            activities: self
                .read("activities", |name, value| number(name, value, 2..=250))?
                .map(|n| n as u8),
            depth: self
                .read("depth", |name, value| number(name, value, 1..=250))?
                .map(|n| n as u8),
            hidden: self.read("hidden", probability)?,
            widgets: self.read("widgets", |name, value| number(name, value, 1..=1_800))?,
        })
    }
}

fn number(
    parameter: &'static str,
    value: &str,
    within: std::ops::RangeInclusive<u16>,
) -> Result<u16, SimulatorSpecError> {
    let parsed = value.parse().ok().filter(|number| within.contains(number));
    let wanted = match parameter {
        "activities" => "a whole number from 2 to 250",
        "depth" => "a whole number from 1 to 250",
        _ => "a whole number from 1 to 1800",
    };
    parsed.ok_or_else(|| bad_value(parameter, value, wanted))
}

fn probability(parameter: &'static str, value: &str) -> Result<f64, SimulatorSpecError> {
    let wanted = "a probability from 0 to 1";
    let parsed = value
        .parse()
        .ok()
        .filter(|probability| (0.0..=1.0).contains(probability));
    parsed.ok_or_else(|| bad_value(parameter, value, wanted))
}

fn latency(parameter: &'static str, value: &str) -> Result<Latency, SimulatorSpecError> {
    match value {
        "none" => Ok(Latency::None),
        "realistic" => Ok(Latency::Realistic),
        _ => Err(bad_value(parameter, value, "`none` or `realistic`")),
    }
}

fn snapshot(parameter: &'static str, value: &str) -> Result<SnapshotCost, SimulatorSpecError> {
    match value {
        "timemachine" => Ok(SnapshotCost::TimeMachine),
        "emulator" => Ok(SnapshotCost::Emulator),
        _ => Err(bad_value(parameter, value, "`timemachine` or `emulator`")),
    }
}

fn temperatures(parameter: &'static str, value: &str) -> Result<Vec<f32>, SimulatorSpecError> {
    let read = |one: &str| {
        one.parse()
            .ok()
            .filter(|heat| (-50.0..=150.0).contains(heat))
    };
    let all: Option<Vec<f32>> = value.split('/').map(read).collect();
    let wanted = "degrees Celsius, one number for each minute: `30/50/35`";
    all.ok_or_else(|| bad_value(parameter, value, wanted))
}

fn seed(parameter: &'static str, value: &str) -> Result<u64, SimulatorSpecError> {
    let wanted = "a whole number from 0 to 18446744073709551615";
    value
        .parse()
        .map_err(|_| bad_value(parameter, value, wanted))
}

fn bad_value(parameter: &'static str, value: &str, wanted: &'static str) -> SimulatorSpecError {
    SimulatorSpecError::BadValue {
        parameter,
        value: value.to_owned(),
        wanted,
    }
}

fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let scored = known
        .iter()
        .map(|known| (strsim::jaro_winkler(name, known), *known));
    let best = scored.max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(alike, _)| *alike > 0.7)
        .map(|(_, known)| known)
}

fn perhaps(nearest: &Option<&str>) -> String {
    nearest
        .map(|nearest| format!(" (did you mean `{nearest}`?)"))
        .unwrap_or_default()
}

fn listed(known: &[&str]) -> String {
    known
        .iter()
        .map(|known| format!("`{known}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(spec: &str) -> String {
        open(spec)
            .map(|phone| format!("{phone:?}"))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn every_app_opens_and_has_a_line_about_it() {
        for name in app_names().iter().chain(uncounted_app_names()) {
            assert!(open(&format!("sim:{name}")).is_ok());
            assert!(about(name).is_some_and(|about| !about.is_empty()));
        }
    }

    #[test]
    fn noise_sets_both_unless_one_of_them_is_given() {
        let phone = open("sim:notes?noise=0.2&flaky=0.5&latency=realistic&seed=5").unwrap();
        let expected = Noise {
            latency: Latency::Realistic,
            flaky: 0.5,
            late_dialog: 0.2,
            ..Noise::default()
        };
        assert_eq!(*phone.noise(), expected);
    }

    #[test]
    fn an_unknown_app_is_answered_with_the_nearest_and_the_list() {
        let error = refused("sim:note");
        assert!(
            error.starts_with(
                "there is no simulated app `note` (did you mean `notes`?); there are `notes`"
            ),
            "{error}"
        );
    }

    #[test]
    fn an_unknown_parameter_is_answered_with_the_nearest_and_the_list() {
        let error = refused("sim:notes?sed=5");
        assert!(
            error.contains("no parameter `sed` (did you mean `seed`?)"),
            "{error}"
        );
        assert!(error.contains("`late_dialog`"), "{error}");
    }

    #[test]
    fn a_bad_value_is_answered_with_what_is_wanted() {
        for (spec, expected) in [
            (
                "sim:notes?seed=five",
                "`five` is not a value of `seed`; give a whole number from 0",
            ),
            (
                "sim:notes?noise=1.5",
                "`1.5` is not a value of `noise`; give a probability from 0 to 1",
            ),
            ("sim:notes?flaky=NaN", "`NaN` is not a value of `flaky`"),
            ("sim:notes?flaky", "`` is not a value of `flaky`"),
            (
                "sim:notes?latency=fast",
                "`fast` is not a value of `latency`; give `none` or `realistic`",
            ),
            (
                "sim:notes?seed=1&seed=2",
                "the parameter `seed` is given twice",
            ),
        ] {
            let error = refused(spec);
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
