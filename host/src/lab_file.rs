//! `lab.toml` in the working directory: the phones of a lab with their tags. `--device tag:NAME` selects by them.

use std::io;
use std::path::Path;

use serde::Deserialize;

use crate::command_error::UserError;
use crate::device_spec::{DeviceSpec, DeviceSpecError};
use crate::exit::CommandExit;
use crate::input_file;
use crate::wording::{closest_name, quoted_list};

pub const FILE: &str = "lab.toml";

/// Phones of a lab.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabFile {
    #[serde(default)]
    phone: Vec<TaggedPhone>,
}

/// A phone with its tags.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TaggedPhone {
    device: String,
    tags: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum LabFileError {
    #[error("could not read `{FILE}`, which says what phones have the tag `{tag}`")]
    Read {
        tag: String,
        #[source]
        source: io::Error,
    },
    #[error("`{FILE}` is not a list of phones")]
    Malformed(#[source] Box<toml::de::Error>),
    #[error("`{FILE}` names a phone that cannot be one")]
    Phone(#[source] DeviceSpecError),
    #[error("no phone in `{FILE}` has the tag `{tag}`")]
    UnknownTag { tag: String, known: Vec<String> },
}

impl LabFile {
    /// Phones with this tag, in the order of the file in the working directory.
    pub fn phones_with(tag: &str) -> Result<Vec<DeviceSpec>, LabFileError> {
        let read = input_file::read_to_string(Path::new(FILE));
        let text = read.map_err(|source| LabFileError::Read {
            tag: tag.to_owned(),
            source,
        })?;
        LabFile::parse(&text)?.tagged(tag)
    }

    fn parse(text: &str) -> Result<LabFile, LabFileError> {
        toml::from_str(text).map_err(|error| LabFileError::Malformed(Box::new(error)))
    }

    fn tagged(&self, tag: &str) -> Result<Vec<DeviceSpec>, LabFileError> {
        let has_tag = |phone: &&TaggedPhone| phone.tags.iter().any(|known| known == tag);
        let found: Vec<&TaggedPhone> = self.phone.iter().filter(has_tag).collect();
        if found.is_empty() {
            let mut known: Vec<String> = self
                .phone
                .iter()
                .flat_map(|phone| phone.tags.clone())
                .collect();
            known.sort_unstable();
            known.dedup();
            let tag = tag.to_owned();
            return Err(LabFileError::UnknownTag { tag, known });
        }
        let specs = found.iter().map(|phone| phone.device.parse());
        specs.collect::<Result<_, _>>().map_err(LabFileError::Phone)
    }
}

impl UserError for LabFileError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            LabFileError::Read { .. } | LabFileError::Malformed(_) => {
                "write for each phone: `[[phone]]`, `device = \"SERIAL\"`, `tags = [\"NAME\"]`"
                    .into()
            }
            LabFileError::Phone(error) => error.help(),
            LabFileError::UnknownTag { tag, known } => {
                let known = known.iter().map(String::as_str);
                match closest_name(tag, known.clone()) {
                    Some(near) => format!("did you mean `tag:{near}`?"),
                    None if known.len() == 0 => "give its phones tags".into(),
                    None => format!("it has the tags {}", quoted_list(known)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAB: &str = "[[phone]]\ndevice = \"R58M\"\ntags = [\"rack-1\", \"api-34\"]\n\n\
                       [[phone]]\ndevice = \"sim:shop\"\ntags = [\"rack-1\"]\n";

    #[test]
    fn a_tag_selects_its_phones_in_the_order_of_the_file() {
        let names = |tag: &str| -> Vec<String> {
            let lab = LabFile::parse(LAB).unwrap();
            let phones = lab.tagged(tag).unwrap();
            phones.iter().map(DeviceSpec::name).collect()
        };
        assert_eq!(names("rack-1"), ["R58M", "sim:shop"]);
        assert_eq!(names("api-34"), ["R58M"]);
    }

    #[test]
    fn mistakes_are_named() {
        let lab = LabFile::parse(LAB).unwrap();
        let unknown = lab.tagged("rack-2").unwrap_err();
        assert_eq!(unknown.help(), "did you mean `tag:rack-1`?");
        for malformed in [
            "phone = 3",
            "[[phone]]\ndevice = \"R58M\"",
            "[[phones]]",
            "{",
        ] {
            let error = LabFile::parse(malformed).unwrap_err();
            assert!(
                matches!(error, LabFileError::Malformed(_)),
                "{malformed}: {error}"
            );
        }
        let lab = LabFile::parse("[[phone]]\ndevice = \"sim:none\"\ntags = [\"a\"]").unwrap();
        assert!(matches!(lab.tagged("a"), Err(LabFileError::Phone(_))));
    }
}
