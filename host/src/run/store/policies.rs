//! Solved policies, and what the observations of all jobs say about candidates.

use retap_reduce::policy::{AttemptTally, PolicyParameters, SchedulePolicy, SuccessRatePrior};
use rusqlite::{OptionalExtension, params};

use super::{SqliteStore, StoreError};

impl SqliteStore {
    /// A policy that was solved before for the same prior. One that cannot be read is as good as none.
    pub fn policy(
        &self,
        rules: &PolicyParameters,
        prior: &SuccessRatePrior,
    ) -> Result<Option<SchedulePolicy>, StoreError> {
        let sql = "SELECT start, schedules FROM policies
            WHERE prior = ?1 AND candidates = ?2 AND parallel = ?3 AND runs = ?4 AND successes = ?5";
        let kept: Option<(f64, Vec<u8>)> = self
            .lock()
            .query_row(sql, policy_key(rules, prior.hash()), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()
            .map_err(|source| StoreError::Use {
                what: "look for a policy in",
                source,
            })?;
        Ok(kept.and_then(|(start, schedules)| {
            SchedulePolicy::from_stored(*rules, prior, start, schedules).ok()
        }))
    }

    pub fn keep_policy(&self, policy: &SchedulePolicy) -> Result<(), StoreError> {
        let sql =
            "INSERT OR REPLACE INTO policies (prior, candidates, parallel, runs, successes, start, schedules)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let [prior, candidates, parallel, runs, successes] =
            policy_key(policy.parameters(), policy.prior());
        let values = params![
            prior,
            candidates,
            parallel,
            runs,
            successes,
            policy.expected_rounds(),
            policy.schedules()
        ];
        self.lock()
            .execute(sql, values)
            .map(|_| ())
            .map_err(|source| StoreError::Use {
                what: "keep a policy in",
                source,
            })
    }

    /// Successes and failures of candidates over all reductions, with the number of candidates for each pair.
    pub fn tallies(&self) -> Result<Vec<(AttemptTally, u64)>, StoreError> {
        let sql = "SELECT successes, failures, count(*) FROM (
                SELECT sum(observation ->> 'reached') AS successes, sum(NOT observation ->> 'reached') AS failures
                FROM observations GROUP BY job, candidate
            ) GROUP BY successes, failures ORDER BY successes, failures";
        self.lock()
            .prepare(sql)
            .and_then(|mut statement| {
                let rows = statement.query_map([], |row| {
                    let tally = AttemptTally {
                        successes: row.get(0)?,
                        failures: row.get(1)?,
                    };
                    Ok((tally, row.get::<_, i64>(2)?.cast_unsigned()))
                })?;
                rows.collect()
            })
            .map_err(|source| StoreError::Use {
                what: "read the observations of",
                source,
            })
    }
}

fn policy_key(rules: &PolicyParameters, prior: u64) -> [i64; 5] {
    let PolicyParameters {
        candidates,
        parallel,
        runs,
        successes,
    } = *rules;
    [
        prior.cast_signed(),
        candidates as i64,
        parallel.into(),
        runs.into(),
        successes.into(),
    ]
}

#[cfg(test)]
mod tests {
    use retap_reduce::oracle::{CandidateKey, Observation, ObservationJournal};
    use retap_shared::micros::Micros;
    use retap_shared::verdict::Verdict;

    use super::*;

    fn seen(played: u32) -> Observation {
        Observation::new(Verdict::TargetReached, played, Micros(5))
    }

    #[test]
    fn a_policy_is_kept_under_its_rules_and_its_prior() {
        let store = SqliteStore::in_memory().unwrap();
        let rules = PolicyParameters {
            candidates: 2,
            parallel: 4,
            runs: 5,
            successes: 4,
        };
        let paper = SuccessRatePrior::published();
        let other = SuccessRatePrior::parse("p,w\n0.2,1\n0.9,1\n").unwrap();
        let policy = SchedulePolicy::solve(&rules, &paper, 1 << 30, 1, &|_, _| true).unwrap();
        store.keep_policy(&policy).unwrap();
        assert_eq!(store.policy(&rules, &paper).unwrap(), Some(policy));
        assert_eq!(store.policy(&rules, &other).unwrap(), None);
        assert_eq!(
            store
                .policy(
                    &PolicyParameters {
                        parallel: 5,
                        ..rules
                    },
                    &paper
                )
                .unwrap(),
            None
        );
    }

    #[test]
    fn candidates_are_counted_by_how_often_they_did_it() {
        let store = SqliteStore::in_memory().unwrap();
        let failed = || Observation {
            reached: false,
            verdict: Verdict::TargetNotReached,
            ..seen(1)
        };
        for job in ["1/reduce", "2/reduce"] {
            let journal = store.journal(job).unwrap();
            journal
                .record_observation(CandidateKey(7), 0, &seen(1))
                .unwrap();
            journal
                .record_observation(CandidateKey(7), 1, &failed())
                .unwrap();
        }
        store
            .journal("2/reduce")
            .unwrap()
            .record_observation(CandidateKey(8), 0, &failed())
            .unwrap();
        let tally = |successes, failures| AttemptTally {
            successes,
            failures,
        };
        assert_eq!(
            store.tallies().unwrap(),
            [(tally(0, 1), 1), (tally(1, 1), 2)]
        );
    }
}
