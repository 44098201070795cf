//! The `.retap` file: JSON lines, a header and then a step a line. Every error names its line and field.
//! What the lines hold is written by `write` and read by `read`.

mod fields;
mod read;
mod write;

use std::fmt;

use fields::{FieldError, ObjectFields};
use read::TraceReader;
use serde_json::Value;
use serde_json::error::Category;

use super::Trace;

/// Files of another major version are refused.
pub const FORMAT_MAJOR: u32 = 1;
/// Files of a newer minor version are read, and what is new in them is ignored.
pub const FORMAT_MINOR: u32 = 0;

/// Why a file is no trace, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// The first line is 1.
    pub line: usize,
    /// The way to the field from the top of the line, such as `do.tap.x`.
    pub field: Option<String>,
    pub kind: TraceErrorKind,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceErrorKind {
    #[error("the file is empty; a trace begins with a header such as `{{\"retap\":\"1.0\",…}}`")]
    Empty,
    #[error("not JSON: {why} at column {column}")]
    NotJson { why: String, column: usize },
    #[error("the line ends too early; the file was cut off")]
    CutOff,
    #[error(
        "the file has format {found}, this Retap reads {FORMAT_MAJOR}.{FORMAT_MINOR} and later ones \
         that begin with {FORMAT_MAJOR}; update Retap"
    )]
    NewerMajor { found: String },
    #[error("missing")]
    Missing,
    #[error("unknown; known here: {known}")]
    Unknown { known: String },
    #[error("expected {expected}, found {found}")]
    Unexpected { expected: String, found: String },
    #[error("a second header; one file holds one trace, so split the file here")]
    SecondHeader,
}

impl Trace {
    pub fn parse(text: &str) -> Result<Trace, TraceError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim().is_empty());
        let (line, first) = lines
            .next()
            .ok_or(TraceError::at(1, TraceErrorKind::Empty))?;
        let header = json(line, first)?;
        let reader = version(&header).map_err(|wrong| wrong.in_line(line))?;
        let header = reader
            .header(&header)
            .map_err(|wrong| wrong.in_line(line))?;
        let step = |(line, text)| {
            reader
                .step(&json(line, text)?)
                .map_err(|wrong: FieldError| wrong.in_line(line))
        };
        Ok(Trace {
            header,
            steps: lines.map(step).collect::<Result<_, _>>()?,
        })
    }

    pub fn to_text(&self) -> String {
        let mut text = write::header(&self.header);
        text.push('\n');
        for step in &self.steps {
            text.push_str(&write::step(step));
            text.push('\n');
        }
        text
    }
}

fn json(line: usize, text: &str) -> Result<Value, TraceError> {
    serde_json::from_str(text).map_err(|error| {
        let problem = if error.classify() == Category::Eof {
            TraceErrorKind::CutOff
        } else {
            let why = error.to_string();
            let why = why.split(" at line ").next().unwrap_or_default().to_owned();
            TraceErrorKind::NotJson {
                why,
                column: error.column(),
            }
        };
        TraceError::at(line, problem)
    })
}

/// Decides by the header how the rest is read.
fn version(header: &Value) -> Result<TraceReader, FieldError> {
    let found = ObjectFields::of(header)?.need("retap", fields::text)?;
    let number = |digits: &str| digits.parse::<u32>().ok();
    match found
        .split_once('.')
        .map(|(major, minor)| (number(major), number(minor)))
    {
        Some((Some(FORMAT_MAJOR), Some(minor))) => Ok(TraceReader {
            lenient: minor > FORMAT_MINOR,
        }),
        Some((Some(major), Some(_))) if major > FORMAT_MAJOR => {
            Err(FieldError::new(TraceErrorKind::NewerMajor {
                found: found.into(),
            })
            .within("retap"))
        }
        _ => Err(
            FieldError::unexpected("a version such as \"1.0\"", &found.as_str().into())
                .within("retap"),
        ),
    }
}

impl TraceError {
    fn at(line: usize, problem: TraceErrorKind) -> Self {
        TraceError {
            line,
            field: None,
            kind: problem,
        }
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(field) => write!(f, "line {}, field `{field}`: {}", self.line, self.kind),
            None => write!(f, "line {}: {}", self.line, self.kind),
        }
    }
}

impl std::error::Error for TraceError {}
