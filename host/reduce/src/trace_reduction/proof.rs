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
/// Rounds of a noisy proof that are spread over time; a round is one attempt of each phone.
const SPREAD_ROUNDS: u32 = 8;
/// Time from the beginning of a proof to the last of these rounds: what one phone needs for so many attempts of each of its
/// phones.
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
        let mut pace = ProofPace::new(self.settings().parallel);
        while !is_void && decision.is_none() || pending.len() > 0 {
            // Attempts that have begun are waited for, never cancelled: those that fail take longer.
            while !is_void
                && decision.is_none()
                && attempts.open() < missing.max(1) + spare
                && (attempts.outcomes.len() < pace.open_runs || !self.is_spread(key, &pace))
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
            let is_due = attempts.outcomes.len() >= pace.open_runs;
            if is_due && pending.len() == 0 && decision.is_none() && !is_void {
                self.wait_for_round(key, &mut pace, &attempts).await?;
            }
        }
        self.count_rounds(attempts.outcomes.len());
        Ok(decision.unwrap_or(ProofDecision::Undecided))
    }

    fn max_proof_runs(&self, candidate: &Candidate) -> u32 {
        let configured = self.settings().proof_runs;
        proof_runs(configured, self.proof_phones(), candidate.len())
    }

    /// True if the next round of a proof has to wait for its time: the target is noisy, and what is bad for a while must have
    /// a chance to show. More phones do not make bad phases shorter.
    fn is_spread(&self, candidate: CandidateKey, pace: &ProofPace) -> bool {
        let ledger = self.ledger();
        if pace.rounds() < SPREAD_ROUNDS {
            ledger.is_noisy(candidate) || !ledger.suspects(candidate).is_empty()
        } else {
            ledger.has_bad_times(candidate)
        }
    }

    /// Waits until the next round of a proof may begin.
    async fn wait_for_round(
        &self,
        candidate: CandidateKey,
        pace: &mut ProofPace,
        attempts: &ProofAttempts,
    ) -> Result<(), ReductionStop> {
        let is_spread = self.is_spread(candidate, pace);
        pace.open_round(attempts.outcomes.len());
        let longest = Duration::from(attempts.longest);
        // Attempts that a journal recalls take no time, and so do the pauses that were made then.
        if !is_spread || pace.began.elapsed() < longest {
            return Ok(());
        }
        let suspects = self.ledger().suspects(candidate);
        let runs_per_phone = if suspects.is_empty() {
            PAUSE_RUNS_PER_PHONE
        } else {
            SUSPECT_PAUSE_RUNS_PER_PHONE
        };
        let whole = longest * (runs_per_phone * self.proof_phones());
        let left = (pace.began + whole).saturating_duration_since(Instant::now());
        if left >= TOLD_PAUSE && !pace.is_told {
            pace.is_told = true;
            self.emit(RunEvent::Warning {
                text: pause_text(&suspects, left),
            });
        }
        let begun = pace.rounds() - 1;
        let wait = if suspects.is_empty() {
            whole / (SPREAD_ROUNDS - 1) * begun
        } else if begun < SPREAD_ROUNDS / 2 {
            Duration::ZERO
        } else {
            // Half of the rounds come late: then a suspect phone shows whether it was bad for a while only.
            whole
        };
        self.wait_until(pace.began + wait).await
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

/// Rounds of a proof in time.
struct ProofPace {
    began: Instant,
    /// Attempts of a round.
    round: usize,
    /// Attempts that may have begun.
    open_runs: usize,
    is_told: bool,
}

impl ProofPace {
    fn new(phones: usize) -> ProofPace {
        let round = phones.max(1);
        ProofPace {
            began: Instant::now(),
            round,
            open_runs: round,
            is_told: false,
        }
    }

    /// Number of rounds that may have begun.
    fn rounds(&self) -> u32 {
        u32::try_from(self.open_runs / self.round).unwrap_or(u32::MAX)
    }

    /// Opens the round behind these attempts.
    fn open_round(&mut self, runs: usize) {
        self.open_runs = (runs / self.round + 1) * self.round;
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
    let wait = format!("the proof waits between its runs, {minutes} min in all");
    match suspects {
        [] => format!("{wait}, so that bad phases of phones or servers can show"),
        _ => format!(
            "`{}` hardly ever reproduces what other phones do; {wait}, because that may be a bad phase: without this phone it \
             would wait less",
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
