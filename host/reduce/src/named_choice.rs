//! Choices that users make by name on the command line: their names, descriptions and the error for an unknown name.
//! The algorithms themselves know nothing of it.

use std::fmt;

/// A closed set of choices, each with a name. A command-line parser can be built from it.
pub trait NamedChoice: Copy + Sized + 'static {
    /// Noun for one choice in messages, e.g. `algorithm`.
    const KIND: &'static str;
    /// All choices, in the order in which help texts list them.
    const ALL: &'static [Self];

    /// Name on the command line, in reports and in events.
    fn name(self) -> &'static str;

    /// One line for help texts, without a full stop.
    fn description(self) -> &'static str;

    /// Choice with this name.
    fn from_name(name: &str) -> Result<Self, UnknownChoice> {
        Self::ALL
            .iter()
            .copied()
            .find(|choice| choice.name() == name)
            .ok_or_else(|| UnknownChoice {
                kind: Self::KIND,
                name: name.to_owned(),
                known: Self::ALL.iter().map(|choice| choice.name()).collect(),
            })
    }
}

/// A name that none of the choices has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownChoice {
    /// Noun for what was to be chosen.
    pub kind: &'static str,
    /// Name that was given.
    pub name: String,
    /// Names that exist.
    pub known: Vec<&'static str>,
}

impl fmt::Display for UnknownChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown {} `{}`; use one of `{}`",
            self.kind,
            self.name,
            self.known.join("`, `")
        )
    }
}

impl std::error::Error for UnknownChoice {}

/// Implements `Display` and `FromStr` with the names of a [`NamedChoice`].
macro_rules! named_choice_text {
    ($choice:ty) => {
        impl std::fmt::Display for $choice {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad($crate::named_choice::NamedChoice::name(*self))
            }
        }

        impl std::str::FromStr for $choice {
            type Err = $crate::named_choice::UnknownChoice;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                $crate::named_choice::NamedChoice::from_name(name)
            }
        }
    };
}

pub(crate) use named_choice_text;
