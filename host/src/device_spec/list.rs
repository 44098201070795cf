//! Lists of device specs, with commas between them, and how many phones they are. A comma inside a spec, such as in the name
//! of a file, is written twice.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{ALL, AdbOptions, AppTrust, DeviceSpec, DeviceSpecError};
use crate::command_error::UserError;
use crate::exit::CommandExit;

/// Prefix of a tag; only alone.
const TAG: &str = "tag:";

/// One or more phones, of any kinds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DeviceList(Vec<DeviceSpec>);

/// Value of `--device`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceSelector {
    /// `all`: every phone on adb that is ready.
    AllOnAdb,
    /// `tag:NAME`: the phones with this tag in the lab file.
    Tagged(String),
    Listed(DeviceList),
}

/// Phones of a command: a list, and how many phones each of its specs makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhoneSelection {
    pub device: DeviceList,
    pub count: u32,
}

/// One phone of a selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedDevice {
    /// Unique in the selection.
    pub name: String,
    /// Number of the phone in the selection, from 1 on. Its seed derives from it.
    pub number: u64,
    pub spec: DeviceSpec,
}

/// Several phones were asked for where the spec names one that exists.
#[derive(Debug, thiserror::Error)]
#[error("`{name}` is one phone, and {count} were asked for")]
pub struct DeviceCountError {
    name: String,
    count: u32,
}

impl DeviceList {
    /// The list of these specs; none if there are none.
    pub fn of_specs(specs: Vec<DeviceSpec>) -> Option<DeviceList> {
        (!specs.is_empty()).then_some(DeviceList(specs))
    }

    pub fn specs(&self) -> &[DeviceSpec] {
        &self.0
    }

    /// The only spec, for commands that use one phone.
    pub fn single(&self) -> Result<&DeviceSpec, DeviceSpecError> {
        match self.0.as_slice() {
            [only] => Ok(only),
            _ => Err(DeviceSpecError::OnlyOne(self.to_string())),
        }
    }

    /// True if a phone is in another process or on another machine.
    pub fn is_linked(&self) -> bool {
        self.0.iter().any(DeviceSpec::is_linked)
    }

    pub fn has_phone_on_adb(&self) -> bool {
        self.0.iter().any(DeviceSpec::is_on_adb)
    }

    pub fn has_jvm_phone(&self) -> bool {
        self.0.iter().any(|spec| matches!(spec, DeviceSpec::Jvm(_)))
    }

    /// True if the code of an app will run on this machine, contained.
    pub fn has_contained_app(&self) -> bool {
        let is_contained = |spec: &DeviceSpec| matches!(spec, DeviceSpec::Jvm(jvm) if jvm.trust == AppTrust::Contained);
        self.0.iter().any(is_contained)
    }

    /// The same phones; apps on JVM phones are trusted.
    pub fn with_trusted_apps(mut self) -> DeviceList {
        for spec in &mut self.0 {
            if let DeviceSpec::Jvm(jvm) = spec {
                jvm.trust = AppTrust::Trusted;
            }
        }
        self
    }

    /// The same phones, with names of files that do not depend on the working directory.
    pub fn with_absolute_paths(self) -> DeviceList {
        DeviceList(
            self.0
                .into_iter()
                .map(DeviceSpec::with_absolute_path)
                .collect(),
        )
    }

    /// The same phones; those on adb with these options.
    pub fn with_adb_options(self, options: AdbOptions) -> DeviceList {
        let with_options = |spec| match spec {
            DeviceSpec::Adb(adb) => DeviceSpec::Adb(adb.with_options(options)),
            other => other,
        };
        DeviceList(self.0.into_iter().map(with_options).collect())
    }
}

impl From<DeviceSpec> for DeviceList {
    fn from(spec: DeviceSpec) -> DeviceList {
        DeviceList(vec![spec])
    }
}

impl PhoneSelection {
    /// One phone of each spec.
    pub fn one_each(device: impl Into<DeviceList>) -> PhoneSelection {
        PhoneSelection {
            device: device.into(),
            count: 1,
        }
    }

    /// All phones in their order. Phones of the same spec are distinguished by a number: `sim:shop#1`.
    pub fn phones(&self) -> Result<Vec<NamedDevice>, DeviceCountError> {
        let specs = self.device.specs();
        let mut phones: Vec<NamedDevice> = Vec::new();
        for spec in specs {
            if self.count > 1 && !spec.can_be_multiplied() {
                return Err(DeviceCountError {
                    name: spec.name(),
                    count: self.count,
                });
            }
            let is_only = self.count == 1
                && specs
                    .iter()
                    .filter(|other| other.name() == spec.name())
                    .count()
                    == 1;
            for _ in 0..self.count {
                let same = phones
                    .iter()
                    .filter(|phone| phone.spec.name() == spec.name())
                    .count();
                let name = match is_only {
                    true => spec.name(),
                    false => format!("{}#{}", spec.name(), same + 1),
                };
                phones.push(NamedDevice {
                    name,
                    number: phones.len() as u64 + 1,
                    spec: spec.clone(),
                });
            }
        }
        Ok(phones)
    }
}

impl FromStr for DeviceSelector {
    type Err = DeviceSpecError;

    fn from_str(text: &str) -> Result<DeviceSelector, DeviceSpecError> {
        match text {
            ALL => Ok(DeviceSelector::AllOnAdb),
            text if text.starts_with(TAG) && text.len() > TAG.len() => {
                Ok(DeviceSelector::Tagged(text[TAG.len()..].to_owned()))
            }
            list => Ok(DeviceSelector::Listed(list.parse()?)),
        }
    }
}

impl fmt::Display for DeviceSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceSelector::AllOnAdb => f.write_str(ALL),
            DeviceSelector::Tagged(tag) => write!(f, "{TAG}{tag}"),
            DeviceSelector::Listed(list) => list.fmt(f),
        }
    }
}

impl FromStr for DeviceList {
    type Err = DeviceSpecError;

    fn from_str(text: &str) -> Result<DeviceList, DeviceSpecError> {
        let mut specs: Vec<DeviceSpec> = Vec::new();
        for item in split_at_single_commas(text) {
            let spec: DeviceSpec = item.parse()?;
            if specs.iter().any(|other| other.is_same_phone(&spec)) {
                return Err(DeviceSpecError::Twice(spec.name()));
            }
            specs.push(spec);
        }
        Ok(DeviceList(specs))
    }
}

/// The parts of a list, with double commas made single.
fn split_at_single_commas(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let is_separator = character == ',' && characters.next_if_eq(&',').is_none();
        match parts.last_mut() {
            Some(last) if !is_separator => last.push(character),
            _ => parts.push(String::new()),
        }
    }
    parts
}

impl fmt::Display for DeviceList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let specs = self
            .0
            .iter()
            .map(|spec| spec.to_string().replace(',', ",,"));
        f.write_str(&specs.collect::<Vec<_>>().join(","))
    }
}

impl TryFrom<String> for DeviceList {
    type Error = DeviceSpecError;

    fn try_from(text: String) -> Result<DeviceList, DeviceSpecError> {
        text.parse()
    }
}

impl From<DeviceList> for String {
    fn from(list: DeviceList) -> String {
        list.to_string()
    }
}

impl UserError for DeviceCountError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "omit `--count`, and name each phone: `--device PHONE,PHONE`".into()
    }
}

#[cfg(test)]
pub(super) mod tests;
