//! Proofs on phones: attempts of a nominated candidate until its claim is decided, and the choice of the best candidate where
//! none can be proven.

use std::time::Duration;

use retap_device::run_event::{CheckSubject, RunEvent};
use retap_shared::micros::Micros;
use tokio::time::Instant;

use super::claim::{AttemptLedger, ProofDecision};
use super::evaluation::{CandidateEvaluator, ReductionStop};
use super::pending_attempts::PendingAttempts;
use crate::oracle::{Candidate, CandidateKey, Observation, OracleQuery};
use crate::policy::AttemptTally;

/// Length, with the cost of a start, up to which a proof has all its attempts. Longer candidates get fewer.
const CHEAP_STEPS: f64 = 160.0;
/// Cost of a start, in steps.
const START_STEPS: f64 = 110.0;
/// Attempts of a proof however long the candidate is.
const MIN_PROOF_RUNS: u32 = 60;

/// Attempts of each phone that a proof may have, if that is more than those of any proof.
const PROOF_RUNS_PER_PHONE: u32 = 40;
/// Phones up to which more of them make a proof and its pause longer.
const MAX_PROOF_PHONES: u32 = 15;
/// Attempts of each phone before the pause of a proof.
const RUNS_BEFORE_PAUSE: u32 = 4;
/// Time from the beginning of a proof to the end of its pause: what one phone needs for so many attempts of each of its phones.
const PAUSE_RUNS_PER_PHONE: u32 = 4;
/// The same where a phone is suspect: it must be bad for long, and the others good.
const SUSPECT_PAUSE_RUNS_PER_PHONE: u32 = 20;
/// Pause from which on it is announced.
const TOLD_PAUSE: Duration = Duration::from_secs(60);

/// Observations of one proof, in the order in which their attempts were started.
#[derive(Default)]
struct ProofAttempts {
    /// `None` while the attempt is running; then its phone, and whether it reached the target.
    outcomes: Vec<Option<(String, bool)>>,
    /// Number of outcomes that the proof has counted.
    counted: usize,
    longest: Micros,
}

impl<'a> CandidateEvaluator<'a> {
    /// Proves that a candidate reaches the target at this rate, by attempts that begin now. If a phone becomes suspect on the
    /// way, the proof begins again without it.
    pub(super) async fn prove(
        &mut self,
        candidate: &Candidate,
        required_rate: f64,
    ) -> Result<ProofDecision, ReductionStop> {
        loop {
            let mut decision = self.prove_once(candidate, required_rate).await?;
            if self.fails_when_fresh(candidate, required_rate).await? {
                decision = ProofDecision::Hopeless;
            }
            if self.ledger().has_recovered_phones(candidate.key()) {
                decision = ProofDecision::Undecided;
            }
            if decision == ProofDecision::Proven || !self.ledger().has_new_suspects(candidate.key())
            {
                let AttemptTally { successes, .. } = self.ledger().tally(candidate.key());
                self.emit(RunEvent::Checked {
                    what: CheckSubject::Result,
                    successes,
                    runs: self.ledger().tally(candidate.key()).runs(),
                });
                return Ok(decision);
            }
        }
    }

    async fn prove_once(
        &mut self,
        candidate: &Candidate,
        required_rate: f64,
    ) -> Result<ProofDecision, ReductionStop> {
        let key = candidate.key();
        let max_runs = self.max_proof_runs(candidate);
        let nomination = self
            .ledger_mut()
            .nominate(candidate, required_rate, max_runs);
        let mut decision = nomination.proof.decision();
        let mut missing = nomination.proof.missing_runs() as usize;
        // Attempts on suspect phones do not count: more are started, so that not all of them are on such a phone.
        let spare = self.ledger().suspects(key).len();
        let mut attempts = ProofAttempts::default();
        let mut pending = PendingAttempts::default();
        // Without decision if a phone has become suspect: then the proof begins again.
        let mut is_void = false;
        let began = Instant::now();
        let mut pause_after = Some(RUNS_BEFORE_PAUSE as usize * self.settings().parallel.max(1));
        while !is_void && decision.is_none() || pending.len() > 0 {
            // Attempts that have begun are waited for, never cancelled: those that fail take longer.
            while !is_void
                && decision.is_none()
                && attempts.open() < missing.max(1) + spare
                && pause_after.is_none_or(|runs| attempts.outcomes.len() < runs)
                && self.has_room(&pending)
            {
                self.start_proof_attempt(candidate, &mut attempts, &mut pending);
            }
            let (index, observation) = self.next_observation(&mut pending).await?;
            let reached = observation.reached;
            attempts.record(index, observation);
            let ledger = self.ledger_mut();
            attempts.count_in_order(|phone, reached| ledger.count_proof(key, phone, reached));
            if let Some(nomination) = ledger.nomination(key) {
                decision = nomination.proof.decision();
                missing = nomination.proof.missing_runs() as usize;
            }
            is_void |= !reached && decision.is_none() && self.ledger().has_new_suspects(key);
            let is_due = pause_after.is_some_and(|runs| attempts.outcomes.len() >= runs);
            if is_due && pending.len() == 0 && decision.is_none() && !is_void {
                pause_after = None;
                self.pause_proof(key, began, &attempts).await?;
            }
        }
        self.count_rounds(attempts.outcomes.len());
        Ok(decision.unwrap_or(ProofDecision::Undecided))
    }

    fn max_proof_runs(&self, candidate: &Candidate) -> u32 {
        let configured = self.settings().proof_runs;
        proof_runs(configured, self.proof_phones(), candidate.len())
    }

    /// Waits before the second part of a proof, where the target is noisy: a phone that is bad for a while must have a chance to
    /// show. More phones do not make these phases shorter.
    async fn pause_proof(
        &self,
        candidate: CandidateKey,
        began: Instant,
        attempts: &ProofAttempts,
    ) -> Result<(), ReductionStop> {
        let suspects = self.ledger().suspects(candidate);
        let is_noisy = !suspects.is_empty() || self.ledger().is_noisy(candidate);
        let longest = Duration::from(attempts.longest);
        // Attempts that a journal recalls take no time, and so does the pause that was made then.
        if !is_noisy || began.elapsed() < longest {
            return Ok(());
        }
        let runs_per_phone = if suspects.is_empty() {
            PAUSE_RUNS_PER_PHONE
        } else {
            SUSPECT_PAUSE_RUNS_PER_PHONE
        };
        let end = began + longest * (runs_per_phone * self.proof_phones());
        let left = end.saturating_duration_since(Instant::now());
        if left >= TOLD_PAUSE {
            self.emit(RunEvent::Warning {
                text: pause_text(&suspects, left),
            });
        }
        self.wait_until(end).await
    }

    fn proof_phones(&self) -> u32 {
        u32::try_from(self.settings().parallel)
            .map_or(MAX_PROOF_PHONES, |phones| phones.min(MAX_PROOF_PHONES))
    }

    fn start_proof_attempt(
        &mut self,
        candidate: &Candidate,
        attempts: &mut ProofAttempts,
        pending: &mut PendingAttempts<'a>,
    ) {
        let key = candidate.key();
        // Searches may still ask for attempts below the number of runs; those must not have been used.
        let runs = self.settings().runs.max(self.criterion().runs);
        let attempt = self.allocate_attempts_from(key, 1, runs).start;
        let query = OracleQuery {
            fresh_phone: attempts.outcomes.is_empty(),
            ..OracleQuery::from_start(candidate.clone(), attempt)
        };
        self.start(pending, attempts.outcomes.len(), query);
        attempts.outcomes.push(None);
    }
}

impl ProofAttempts {
    /// Number of attempts that the proof has not counted yet.
    fn open(&self) -> usize {
        self.outcomes.len() - self.counted
    }

    fn record(&mut self, index: usize, observation: Observation) {
        self.longest = self.longest.max(observation.took);
        self.outcomes[index] = Some((observation.phone, observation.reached));
    }

    fn count_in_order(&mut self, mut count: impl FnMut(&str, bool)) {
        while let Some(Some((phone, reached))) = self.outcomes.get(self.counted) {
            count(phone, *reached);
            self.counted += 1;
        }
    }
}

/// Says why nothing happens for a while.
fn pause_text(suspects: &[&str], pause: Duration) -> String {
    let minutes = pause.as_secs().div_ceil(60);
    let wait = format!("the second part of the proof begins in {minutes} min");
    match suspects {
        [] => format!("{wait}, so that phones with bad phases can show"),
        _ => format!(
            "`{}` hardly ever reproduces what other phones do; {wait}, because that may be a bad phase: without this phone it \
             would begin sooner",
            suspects.join("`, `")
        ),
    }
}

/// Maximum number of attempts of the proof of a candidate of this length.
fn proof_runs(proof_runs: u32, phones: u32, steps: usize) -> u32 {
    let share = (CHEAP_STEPS / (steps as f64 + START_STEPS)).min(1.0);
    let runs = proof_runs.max(PROOF_RUNS_PER_PHONE * phones);
    ((f64::from(runs) * share) as u32).max(MIN_PROOF_RUNS.min(proof_runs))
}

/// Shortest candidate whose rate is not clearly lower than the best one, by the attempts of the whole reduction. `None` if no
/// candidate has ever reproduced.
pub(super) fn best_trade(ledger: &AttemptLedger) -> Option<Candidate> {
    let mut rated: Vec<(&Candidate, AttemptTally)> = ledger.reproducing().collect();
    rated.sort_by_key(|(candidate, tally)| {
        (
            candidate.len(),
            std::cmp::Reverse(tally.successes),
            candidate.key(),
        )
    });
    let best_lower = rated
        .iter()
        .map(|(_, tally)| rate_bounds(*tally)[0])
        .fold(0.0, f64::max);
    let best = rated
        .iter()
        .find(|(_, tally)| {
            let [lower, upper] = rate_bounds(*tally);
            f64::midpoint(lower, upper) >= best_lower
        })
        .or(rated.last());
    best.map(|(candidate, _)| (*candidate).clone())
}

/// Mean of the rate after these attempts and a standard deviation below and above it, without any knowledge before.
fn rate_bounds(tally: AttemptTally) -> [f64; 2] {
    let runs = f64::from(tally.runs());
    let mean = (f64::from(tally.successes) + 1.0) / (runs + 2.0);
    let deviation = (mean * (1.0 - mean) / (runs + 3.0)).sqrt();
    [mean - deviation, mean + deviation]
}
