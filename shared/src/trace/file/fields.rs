//! Reads values of JSON, with errors that hold the path of their field.

use serde_json::{Map, Value};

use super::{TraceError, TraceErrorKind};
use crate::trace::RunShare;
use crate::{Text, hex};

/// Maximum number of characters of a wrong value that an error shows.
const SHOWN: usize = 60;

/// An error in a field. Each level above adds its field's name before the path.
pub(super) struct FieldError {
    path: String,
    kind: TraceErrorKind,
}

impl FieldError {
    pub(super) fn new(kind: TraceErrorKind) -> Self {
        FieldError {
            path: String::new(),
            kind,
        }
    }

    pub(super) fn unexpected(expected: impl Into<String>, found: &Value) -> Self {
        let found = shortened(&found.to_string());
        FieldError::new(TraceErrorKind::Unexpected {
            expected: expected.into(),
            found,
        })
    }

    pub(super) fn within(mut self, name: &str) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.path = format!("{name}{dot}{}", self.path);
        self
    }

    pub(super) fn in_line(self, line: usize) -> TraceError {
        let field = if self.path.is_empty() {
            None
        } else {
            Some(self.path)
        };
        TraceError {
            line,
            field,
            kind: self.kind,
        }
    }
}

/// An object's fields by name.
pub(super) struct ObjectFields<'a>(&'a Map<String, Value>);

impl<'a> ObjectFields<'a> {
    pub(super) fn of(value: &'a Value) -> Result<Self, FieldError> {
        value
            .as_object()
            .map(ObjectFields)
            .ok_or_else(|| FieldError::unexpected("an object", value))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Refuses unknown fields.
    pub(super) fn only(self, known: &[&str]) -> Result<Self, FieldError> {
        match self.0.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(FieldError::new(TraceErrorKind::Unknown {
                known: quoted(known),
            })
            .within(&escaped(name))),
            None => Ok(self),
        }
    }

    pub(super) fn need<T>(
        &self,
        name: &str,
        read: impl FnOnce(&'a Value) -> Result<T, FieldError>,
    ) -> Result<T, FieldError> {
        self.get(name, read)?
            .ok_or_else(|| FieldError::new(TraceErrorKind::Missing).within(name))
    }

    pub(super) fn get<T>(
        &self,
        name: &str,
        read: impl FnOnce(&'a Value) -> Result<T, FieldError>,
    ) -> Result<Option<T>, FieldError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(value).map(Some).map_err(|error| error.within(name)),
        }
    }

    /// The field, or its type's default if it is missing.
    pub(super) fn or_empty<T: Default>(
        &self,
        name: &str,
        read: impl FnOnce(&'a Value) -> Result<T, FieldError>,
    ) -> Result<T, FieldError> {
        self.get(name, read).map(Option::unwrap_or_default)
    }
}

/// One of several variants: a name alone, or an object whose only field is the name.
pub(super) fn choice<'a>(
    value: &'a Value,
    names: &[&str],
) -> Result<(&'a str, &'a Value), FieldError> {
    let chosen = match value {
        Value::String(name) => Some((name.as_str(), &Value::Null)),
        Value::Object(fields) if fields.len() == 1 => fields
            .iter()
            .next()
            .map(|(name, content)| (name.as_str(), content)),
        _ => None,
    };
    chosen
        .filter(|(name, _)| names.contains(name))
        .ok_or_else(|| FieldError::unexpected(format!("one of {}", quoted(names)), value))
}

/// One of several variants without contents.
pub(super) fn name<'a>(value: &'a Value, names: &[&str]) -> Result<&'a str, FieldError> {
    let name = value.as_str().filter(|name| names.contains(name));
    name.ok_or_else(|| FieldError::unexpected(format!("one of {}", quoted(names)), value))
}

/// The contents of a variant without contents.
pub(super) fn nothing(value: &Value) -> Result<(), FieldError> {
    if value.is_null() {
        Ok(())
    } else {
        Err(FieldError::unexpected("the bare name", value))
    }
}

pub(super) fn text(value: &Value) -> Result<Text, FieldError> {
    value
        .as_str()
        .map(Text::from)
        .ok_or_else(|| FieldError::unexpected("a text", value))
}

pub(super) fn flag(value: &Value) -> Result<bool, FieldError> {
    value
        .as_bool()
        .ok_or_else(|| FieldError::unexpected("true or false", value))
}

pub(super) fn share(value: &Value) -> Result<RunShare, FieldError> {
    value
        .as_f64()
        .filter(|share| (0.0..=1.0).contains(share))
        .map(RunShare::nearest)
        .ok_or_else(|| FieldError::unexpected("a share from 0 to 1", value))
}

pub(super) fn identity(value: &Value) -> Result<u64, FieldError> {
    value
        .as_str()
        .and_then(hex::parse)
        .ok_or_else(|| FieldError::unexpected("16 hexadecimal digits", value))
}

pub(super) fn integer<T: JsonInteger>(value: &Value) -> Result<T, FieldError> {
    let number = value
        .as_i64()
        .map(i128::from)
        .or_else(|| value.as_u64().map(i128::from));
    let number = number.ok_or_else(|| FieldError::unexpected("a whole number", value))?;
    T::try_from(number).map_err(|_| {
        FieldError::unexpected(
            format!("a whole number from {} to {}", T::LEAST, T::MOST),
            value,
        )
    })
}

pub(super) trait JsonInteger: TryFrom<i128> {
    const LEAST: i128;
    const MOST: i128;
}

macro_rules! json_integers {
    ($($number:ty)*) => {
        $(impl JsonInteger for $number {
            const LEAST: i128 = <$number>::MIN as i128;
            const MOST: i128 = <$number>::MAX as i128;
        })*
    };
}

json_integers! { i32 u16 u32 u64 }

/// A name from the file, without control characters.
fn escaped(name: &str) -> String {
    shortened(&name.escape_debug().to_string())
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
