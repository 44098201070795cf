//! Coverage of the app under test, step by step. Nothing that is wrong with it fails a step.

use super::reader::CoverageReader;

/// The reader, and what was read already but not asked for yet.
#[derive(Debug)]
pub(crate) struct AppCoverage {
    reader: CoverageReader,
    kept: Vec<u32>,
}

impl AppCoverage {
    /// Coverage from the library that listens at this abstract name, now or later.
    pub(crate) fn new(socket: &str) -> AppCoverage {
        AppCoverage {
            reader: CoverageReader::new(socket),
            kept: Vec::new(),
        }
    }

    /// The app is about to be launched: what it reaches from now on is reported anew.
    pub(crate) fn begin(&mut self) {
        match self.reader.take_and_forget() {
            Ok(taken) => self.kept.extend(taken.numbers),
            Err(error) => warn(&error),
        }
    }

    /// Numbers of what was reached since the last call.
    pub(crate) fn take(&mut self, into: &mut Vec<u32>) {
        into.append(&mut self.kept);
        match self.reader.take() {
            Ok(taken) => into.extend(taken.numbers),
            Err(error) => warn(&error),
        }
    }
}

fn warn(error: &std::io::Error) {
    tracing::warn!(%error, "could not read which methods of the app ran");
}
