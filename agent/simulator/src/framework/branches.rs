//! Branches of an app's code, as a coverage tool would count them: two for each place where it decides.

/// Declares an app's decisions. `COUNT` is the number of their branches.
macro_rules! branches {
    ($($name:ident),* $(,)?) => {
        #[derive(Clone, Copy, Debug)]
        enum Branch { $($name),* }

        impl Branch {
            const COUNT: u32 = 2 * [$(Branch::$name),*].len() as u32;
        }

        impl From<Branch> for u32 {
            fn from(branch: Branch) -> u32 { branch as u32 }
        }
    };
}
pub(crate) use branches;

/// The branches that ran since they were last taken, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct BranchCoverage {
    seen: Vec<u64>,
    list: Vec<u32>,
}

impl BranchCoverage {
    /// Decision `i` has the branches `2 i` (no) and `2 i + 1` (yes).
    pub(crate) fn ran(&mut self, decision: u32, outcome: bool) {
        let branch = 2 * decision + u32::from(outcome);
        let word = branch as usize / 64;
        let bit = 1 << (branch % 64);
        if word >= self.seen.len() {
            self.seen.resize(word + 1, 0);
        }
        if self.seen[word] & bit == 0 {
            self.seen[word] |= bit;
            self.list.push(branch);
        }
    }

    pub(crate) fn take(&mut self, into: &mut Vec<u32>) {
        for branch in self.list.drain(..) {
            self.seen[branch as usize / 64] = 0;
            into.push(branch);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_branch_is_reported_once_until_it_is_taken() {
        let mut branches = BranchCoverage::default();
        for (decision, outcome) in [(0, true), (40, false), (0, true), (40, true)] {
            branches.ran(decision, outcome);
        }
        let mut taken = Vec::new();
        branches.take(&mut taken);
        branches.take(&mut taken);
        assert_eq!(taken, [1, 80, 81]);

        branches.ran(40, false);
        branches.take(&mut taken);
        assert_eq!(taken, [1, 80, 81, 80]);
    }
}
