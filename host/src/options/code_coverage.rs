//! What of an app's code is noted while it is explored.

use retap_reduce::named_choice::NamedChoice;
use serde::{Deserialize, Serialize};

/// Parts of an app's code that are noted when they run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeCoverage {
    /// Branches, where the phone reports them.
    #[default]
    Branches,
    /// Methods, noted by the library in the app's process.
    Methods,
    /// Lines, noted by the same library.
    Lines,
    /// No code: only activities and screens.
    Activities,
}

impl CodeCoverage {
    /// True for the default, which stored options omit.
    pub fn is_default(&self) -> bool {
        *self == CodeCoverage::default()
    }

    /// Value of the library's option `mode`; none without the library.
    pub fn library_mode(self) -> Option<&'static str> {
        match self {
            CodeCoverage::Methods => Some("methods"),
            CodeCoverage::Lines => Some("lines"),
            CodeCoverage::Branches | CodeCoverage::Activities => None,
        }
    }

    /// Word for what is counted of the code, in the plural.
    pub fn noun(self) -> &'static str {
        self.library_mode().unwrap_or("branches")
    }

    /// The option as a user types it.
    pub fn option(self) -> &'static str {
        match self {
            CodeCoverage::Branches => "--coverage branches",
            CodeCoverage::Methods => "--coverage methods",
            CodeCoverage::Lines => "--coverage lines",
            CodeCoverage::Activities => "--coverage activities",
        }
    }
}

impl NamedChoice for CodeCoverage {
    const KIND: &'static str = "coverage";
    const ALL: &'static [CodeCoverage] = &[
        CodeCoverage::Branches,
        CodeCoverage::Methods,
        CodeCoverage::Lines,
        CodeCoverage::Activities,
    ];

    fn name(self) -> &'static str {
        match self {
            CodeCoverage::Branches => "branches",
            CodeCoverage::Methods => "methods",
            CodeCoverage::Lines => "lines",
            CodeCoverage::Activities => "activities",
        }
    }

    fn description(self) -> &'static str {
        match self {
            CodeCoverage::Branches => {
                "Branches, on phones that report them: simulated ones and JVM phones"
            }
            CodeCoverage::Methods => "Methods, on JVM phones",
            CodeCoverage::Lines => "Lines, on JVM phones",
            CodeCoverage::Activities => "No code, only activities and screens",
        }
    }
}
