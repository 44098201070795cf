//! Strict reading of TOML: every key is read by name, any other key is a mistake, and every mistake has its line and
//! column.

use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::str::FromStr;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::wording::{closest_name, group_thousands, quoted_list};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigMistake {
    pub line: usize,
    pub column: usize,
    pub text: String,
}

impl fmt::Display for ConfigMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.text)
    }
}

#[derive(Debug)]
pub struct TomlDocument<'a> {
    text: &'a str,
    table: Spanned<DeTable<'a>>,
}

impl<'a> TomlDocument<'a> {
    pub fn parse(text: &'a str) -> Result<TomlDocument<'a>, Vec<ConfigMistake>> {
        // Only the first error: what follows a broken line is seldom what is wrong.
        let table = DeTable::parse(text).map_err(|error| {
            vec![at(
                text,
                error.span().unwrap_or(0..0),
                error.message().to_owned(),
            )]
        })?;
        Ok(TomlDocument { text, table })
    }

    pub fn top(&self) -> TomlSection<'_> {
        TomlSection::new(self.text, None, self.table.get_ref())
    }
}

/// One table while its keys are read.
#[derive(Debug)]
pub struct TomlSection<'a> {
    text: &'a str,
    name: Option<&'static str>,
    table: &'a DeTable<'a>,
    known: Vec<&'static str>,
    known_sections: Vec<&'static str>,
    mistakes: Vec<(usize, ConfigMistake)>,
}

impl<'a> TomlSection<'a> {
    fn new(text: &'a str, name: Option<&'static str>, table: &'a DeTable<'a>) -> Self {
        TomlSection {
            text,
            name,
            table,
            known: Vec::new(),
            known_sections: Vec::new(),
            mistakes: Vec::new(),
        }
    }

    pub fn text(&mut self, key: &'static str) -> Option<String> {
        self.checked(key, |_| Ok(()))
    }

    /// A text that must also please `check`.
    pub fn checked(
        &mut self,
        key: &'static str,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Option<String> {
        self.known.push(key);
        let value = self.value(key)?;
        let DeValue::String(text) = value.get_ref() else {
            self.wrong_kind(key, "a text", value);
            return None;
        };
        if let Err(wrong) = check(text) {
            self.mistake(value.span(), format!("`{key}`: {wrong}"));
        }
        Some(text.clone().into_owned())
    }

    /// A text that is parsed.
    pub fn parsed<T: FromStr<Err: fmt::Display>>(&mut self, key: &'static str) -> Option<T> {
        let check = |text: &str| {
            text.parse::<T>()
                .map(drop)
                .map_err(|error| error.to_string())
        };
        self.checked(key, check)?.parse().ok()
    }

    pub fn number<T: TryFrom<u64>>(
        &mut self,
        key: &'static str,
        allowed: RangeInclusive<u64>,
    ) -> Option<T> {
        self.known.push(key);
        let value = self.value(key)?;
        let DeValue::Integer(digits) = value.get_ref() else {
            self.wrong_kind(key, "a whole number", value);
            return None;
        };
        let number = u64::from_str_radix(digits.as_str(), digits.radix()).ok();
        let fitting = number
            .filter(|number| allowed.contains(number))
            .and_then(|number| T::try_from(number).ok());
        if fitting.is_none() {
            let least = group_thousands(*allowed.start());
            let most = group_thousands(*allowed.end());
            self.mistake(
                value.span(),
                format!("`{key}` must be from {least} to {most}, not {digits}"),
            );
        }
        fitting
    }

    /// A list of texts, each of which must please `check`.
    pub fn texts(
        &mut self,
        key: &'static str,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Vec<String> {
        self.known.push(key);
        let Some(value) = self.value(key) else {
            return Vec::new();
        };
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong_kind(key, "a list of texts", value);
            return Vec::new();
        };
        let mut texts = Vec::new();
        for item in items.iter() {
            let DeValue::String(text) = item.get_ref() else {
                self.wrong_kind(key, "a list of texts", item);
                continue;
            };
            match check(text) {
                Ok(()) => texts.push(text.clone().into_owned()),
                Err(wrong) => self.mistake(item.span(), format!("`{key}`: {wrong}")),
            }
        }
        texts
    }

    /// A table of names and plain values, each of which must please `check`.
    pub fn pairs(
        &mut self,
        key: &'static str,
        check: impl Fn(&str, &str) -> Result<(), String>,
    ) -> Vec<(String, String)> {
        self.known.push(key);
        let Some(value) = self.value(key) else {
            return Vec::new();
        };
        let DeValue::Table(table) = value.get_ref() else {
            self.wrong_kind(key, "a table such as `{ alpha = 3 }`", value);
            return Vec::new();
        };
        let mut pairs = Vec::new();
        for (name, value) in table {
            let text = match value.get_ref() {
                DeValue::String(text) => text.clone().into_owned(),
                DeValue::Integer(digits) => digits.as_str().to_owned(),
                DeValue::Float(digits) => digits.as_str().to_owned(),
                DeValue::Boolean(truth) => truth.to_string(),
                _ => {
                    self.wrong_kind(key, "of plain values", value);
                    continue;
                }
            };
            match check(name.get_ref(), &text) {
                Ok(()) => pairs.push((name.get_ref().clone().into_owned(), text)),
                Err(wrong) => self.mistake(name.span(), wrong),
            }
        }
        pairs
    }

    pub fn section<T: Default>(
        &mut self,
        key: &'static str,
        read: impl Fn(&mut TomlSection<'_>) -> T,
    ) -> T {
        self.known_sections.push(key);
        let Some(value) = self.value(key) else {
            return T::default();
        };
        let DeValue::Table(table) = value.get_ref() else {
            self.wrong_kind(key, "a section", value);
            return T::default();
        };
        let mut section = TomlSection::new(self.text, Some(key), table);
        let read = read(&mut section);
        section.find_unknown();
        self.mistakes.append(&mut section.mistakes);
        read
    }

    /// A mistake in the value of a key that is there.
    pub fn mistake_at(&mut self, key: &str, text: &str) {
        if let Some(value) = self.value(key) {
            self.mistake(value.span(), text.to_owned());
        }
    }

    /// Every mistake found, those of the sections below included.
    pub fn finish(mut self) -> Result<(), Vec<ConfigMistake>> {
        self.find_unknown();
        if self.mistakes.is_empty() {
            return Ok(());
        }
        self.mistakes.sort_by_key(|(position, _)| *position);
        Err(self
            .mistakes
            .into_iter()
            .map(|(_, mistake)| mistake)
            .collect())
    }

    fn value(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.table.get(key)
    }

    fn find_unknown(&mut self) {
        for (key, value) in self.table {
            let name = key.get_ref().as_ref();
            if self.known.contains(&name) || self.known_sections.contains(&name) {
                continue;
            }
            let is_section = self.name.is_none() && matches!(value.get_ref(), DeValue::Table(_));
            let section = self
                .name
                .map_or_else(String::new, |name| format!(" in `[{name}]`"));
            let (what, known) = if is_section {
                (
                    format!("section `[{name}]`"),
                    self.known_sections
                        .iter()
                        .map(|name| format!("[{name}]"))
                        .collect(),
                )
            } else {
                (
                    format!("key `{name}`{section}"),
                    self.known
                        .iter()
                        .map(ToString::to_string)
                        .collect::<Vec<_>>(),
                )
            };
            let sought = if is_section {
                format!("[{name}]")
            } else {
                name.to_owned()
            };
            let hint = closest_name(&sought, known.iter().map(String::as_str)).map_or_else(
                || {
                    format!(
                        "known are {}",
                        quoted_list(known.iter().map(String::as_str))
                    )
                },
                |near| format!("did you mean `{near}`?"),
            );
            self.mistake(key.span(), format!("unknown {what}; {hint}"));
        }
    }

    fn wrong_kind(&mut self, key: &str, expected: &str, value: &Spanned<DeValue<'_>>) {
        let found = match value.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number with a fraction",
            DeValue::Boolean(_) => "a yes or no",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a section",
        };
        self.mistake(
            value.span(),
            format!("`{key}` must be {expected}, not {found}"),
        );
    }

    fn mistake(&mut self, span: Range<usize>, text: String) {
        let position = span.start;
        self.mistakes.push((position, at(self.text, span, text)));
    }
}

/// Lines and columns count from 1; columns in characters.
fn at(text: &str, span: Range<usize>, message: String) -> ConfigMistake {
    let before = text.get(..span.start.min(text.len())).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    ConfigMistake {
        line,
        column,
        text: message,
    }
}
