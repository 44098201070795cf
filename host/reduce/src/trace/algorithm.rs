//! The ways to reduce a trace, and what a user calls them.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReductionAlgorithm {
    /// Plain delta debugging.
    Dd,
    /// If one run each is enough, the shortest way by what was recorded, what else is needed by probabilities, and then a
    /// sweep that also removes steps that only go together; else by what is believed of each step.
    #[default]
    Auto,
    /// Delta debugging in rounds of runs, for targets that are reached only sometimes.
    Nd3min,
    /// SimplyDroid's: by the tree of states, in parts of equally many nodes.
    Hdd,
    /// The same in parts of equally many events.
    Bhdd,
    /// The same where it is enough, above the last level, to get to the next.
    Lhdd,
    /// The same without first trying the last nodes of a level.
    LhddNoPreselection,
}

impl ReductionAlgorithm {
    pub const ALL: [ReductionAlgorithm; 7] = [
        ReductionAlgorithm::Auto,
        ReductionAlgorithm::Dd,
        ReductionAlgorithm::Nd3min,
        ReductionAlgorithm::Hdd,
        ReductionAlgorithm::Bhdd,
        ReductionAlgorithm::Lhdd,
        ReductionAlgorithm::LhddNoPreselection,
    ];
}

impl fmt::Display for ReductionAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ReductionAlgorithm::Dd => "dd",
            ReductionAlgorithm::Auto => "auto",
            ReductionAlgorithm::Nd3min => "nd3min",
            ReductionAlgorithm::Hdd => "hdd",
            ReductionAlgorithm::Bhdd => "bhdd",
            ReductionAlgorithm::Lhdd => "lhdd",
            ReductionAlgorithm::LhddNoPreselection => "lhdd-no-preselection",
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no algorithm `{0}`; there are `auto`, `dd`, `nd3min`, `hdd`, `bhdd`, `lhdd` and `lhdd-no-preselection`"
)]
pub struct UnknownAlgorithm(pub String);

impl FromStr for ReductionAlgorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<ReductionAlgorithm, UnknownAlgorithm> {
        let known = ReductionAlgorithm::ALL
            .into_iter()
            .find(|algorithm| algorithm.to_string() == name);
        known.ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}
