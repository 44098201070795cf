//! The `.retap` file: JSON lines, a header and then one step per line. `write` writes the lines, `read` reads them.
//! Fields are read by hand instead of with serde and a path tracker, because serde's errors are texts without separate
//! expected and found values, and its refusal of unknown fields cannot depend on the file's minor version.

mod claim;
mod fields;
mod read;
mod write;

use std::fmt;

use fields::{FieldError, ObjectFields};
use read::TraceReader;
use serde_json::Value;
use serde_json::error::Category;

use super::Trace;

/// Major version of the format. Files of another major version are refused.
pub const FORMAT_MAJOR: u32 = 1;
/// Minor version of the format. Unknown fields in files of a newer minor version are ignored.
pub const FORMAT_MINOR: u32 = 2;

/// Why a file is not a trace, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// The number of the line; the first line is 1.
    pub line: usize,
    /// The path of the field in the line, such as `do.tap.x`.
    pub field: Option<String>,
    /// The error itself.
    pub kind: TraceErrorKind,
}

/// Why a file is not a trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceErrorKind {
    /// The file has no lines.
    #[error("the file is empty; a trace begins with a header such as `{{\"retap\":\"1.0\",…}}`")]
    Empty,
    /// The line is not JSON.
    #[error("not JSON: {why} at column {column}")]
    NotJson {
        /// The parser's message.
        why: String,
        /// The column of the error.
        column: usize,
    },
    /// The line is incomplete.
    #[error("the line ends too early; the file was cut off")]
    CutOff,
    /// The file is of a newer major version.
    #[error(
        "the file has format {found}, this Retap reads {FORMAT_MAJOR}.{FORMAT_MINOR} and others \
         that begin with {FORMAT_MAJOR}; update Retap"
    )]
    NewerMajor {
        /// The file's version.
        found: String,
    },
    /// A field is missing.
    #[error("missing")]
    Missing,
    /// A field is unknown.
    #[error("unknown; known here: {known}")]
    Unknown {
        /// The fields that are known.
        known: String,
    },
    /// A field has a value of the wrong form.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// The form that is expected.
        expected: String,
        /// The value, shortened.
        found: String,
    },
    /// A header follows the first one.
    #[error("a second header; one file holds one trace, so split the file here")]
    SecondHeader,
}

impl Trace {
    /// Parses the text of a `.retap` file.
    pub fn parse(text: &str) -> Result<Trace, TraceError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim().is_empty());
        let (line, first) = lines
            .next()
            .ok_or(TraceError::at(1, TraceErrorKind::Empty))?;
        let header = json(line, first)?;
        let reader = reader_for(&header).map_err(|error| error.in_line(line))?;
        let header = reader
            .header(&header)
            .map_err(|error| error.in_line(line))?;
        let step = |(line, text)| {
            reader
                .step(&json(line, text)?)
                .map_err(|error: FieldError| error.in_line(line))
        };
        Ok(Trace {
            header,
            steps: lines.map(step).collect::<Result<_, _>>()?,
        })
    }

    /// Formats the trace as the text of a `.retap` file.
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
        let kind = if error.classify() == Category::Eof {
            TraceErrorKind::CutOff
        } else {
            let why = error.to_string();
            let why = why.split(" at line ").next().unwrap_or_default().to_owned();
            TraceErrorKind::NotJson {
                why,
                column: error.column(),
            }
        };
        TraceError::at(line, kind)
    })
}

/// The reader for the version that the header names.
fn reader_for(header: &Value) -> Result<TraceReader, FieldError> {
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
    fn at(line: usize, kind: TraceErrorKind) -> Self {
        TraceError {
            line,
            field: None,
            kind,
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
