//! The command line's parser for choices that have names, and help texts that show a default.

use std::fmt::Display;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use retap_reduce::named_choice::NamedChoice;

/// Parser for one of the names of a choice. Help lists all of them with their descriptions.
pub fn choice_parser<C: NamedChoice + Send + Sync>() -> impl TypedValueParser<Value = C> {
    let values = C::ALL
        .iter()
        .map(|choice| PossibleValue::new(choice.name()).help(choice.description()));
    PossibleValuesParser::new(values)
        .map(|name| C::from_name(&name).expect("clap accepts only the names of choices"))
}

/// Help text of an option whose default also depends on `retap.toml`, so that clap cannot set it. It looks like clap's own.
pub fn help_with_default(text: &str, default: impl Display) -> String {
    format!("{text} [default: {default}]")
}
