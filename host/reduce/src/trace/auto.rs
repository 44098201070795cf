//! Retap's own for targets that are reached only sometimes: no rounds. Whenever a phone is free it gets the run that tells
//! most; runs that can no longer matter are cancelled; the result is proven by fresh runs.

mod belief;
mod outlook;
mod plan;
mod rate;

use std::collections::HashMap;

use outlook::Outlook;
use plan::{End, Pass, Plan};
use retap_device::event::{Checked, RunEvent};
use retap_device::seed::Seed;
use retap_shared::verdict::Verdict;

use super::judge::{Halt, Judge};
use super::runs::Runs;
use super::{Algorithm, Check, ReduceSettings, steps_of};
use crate::oracle::{Candidate, CandidateKey, Question};
use crate::policy::Tally;

/// What became of a trace: the runs of the whole one, and the fresh runs of the result unless it does not reproduce.
pub(super) struct Ended {
    pub(super) original: Check,
    pub(super) result: Option<Check>,
    /// How many successes were asked for in the end.
    pub(super) successes: u32,
    /// The chance that each step is needed.
    pub(super) belief: Vec<f32>,
    /// What was run so often in vain that it does not pass.
    pub(super) failed: Vec<CandidateKey>,
}

/// Reduces `best`. It is replaced as soon as something smaller is believed to have all that is needed.
pub(super) async fn auto(
    judge: &mut Judge<'_>,
    settings: &ReduceSettings,
    best: &mut Candidate,
) -> Result<Ended, Halt> {
    let whole = best.clone();
    let (_, needed) = settings.original(Algorithm::Auto);
    let ReduceSettings {
        runs,
        successes,
        keep_rate,
        ..
    } = *settings;
    let pass = Pass {
        runs,
        successes,
        whole: needed,
        keep_rate,
    };
    let mut plan = Plan::new(whole.len(), pass, Seed(whole.key().0).rng());
    let mut runs = Runs::default();
    let mut failures = Failures::default();
    let mut outlook = Outlook::default();
    let mut keys: HashMap<usize, CandidateKey> = HashMap::new();
    let mut tallies: HashMap<CandidateKey, Tally> = HashMap::new();
    let end = loop {
        while runs.len() < settings.parallel.max(1) {
            let Some((number, kept)) = plan.next() else {
                break;
            };
            let steps = whole.keeping(kept.steps());
            keys.insert(number, steps.key());
            let attempt = judge.fresh(steps.key(), 1).start;
            runs.start(
                number,
                judge.ask(Question {
                    steps,
                    attempt,
                    from_start: true,
                }),
            );
        }
        let (number, seen) = judge.answer(&mut runs).await?;
        if let Some(key) = keys.remove(&number) {
            tallies.entry(key).or_default().count(seen.reached);
        }
        failures.note(&plan, number, &whole, seen.reached, seen.verdict);
        plan.seen(number, seen.reached);
        if let Some(end) = plan.end() {
            break end.clone();
        }
        for cancelled in runs.cancel(|number| !plan.matters(number)) {
            plan.cancelled(cancelled);
        }
        if plan.smallest().len() != best.len() {
            *best = whole.keeping(plan.smallest().steps());
            judge.shrunk(steps_of(best));
        }
        if let Some(believed) = outlook.after(plan.groups(), runs.len(), settings.runs) {
            judge.tell(believed);
        }
    };
    judge.tell(outlook.now(plan.groups(), 0, 0));
    let original = failures.of_whole(plan.whole_runs());
    tell(judge, Checked::Original, &original);
    let result = match end {
        End::DoesNotReproduce => {
            *best = whole;
            None
        }
        End::Checked(kept, tally) => {
            *best = whole.keeping(kept.steps());
            let check = failures.of_result(tally);
            tell(judge, Checked::Result, &check);
            Some(check)
        }
    };
    let successes = plan.successes();
    let belief = outlook::chances(plan.groups());
    let fails = |tally: &Tally| {
        tally.failures > settings.runs.saturating_sub(successes) && tally.successes < successes
    };
    let failed = tallies
        .into_iter()
        .filter(|(_, tally)| fails(tally))
        .map(|(key, _)| key)
        .collect();
    Ok(Ended {
        original,
        result,
        successes,
        belief,
        failed,
    })
}

fn tell(judge: &Judge<'_>, what: Checked, check: &Check) {
    if check.runs > 0 {
        judge.tell(RunEvent::Checked {
            what,
            successes: check.successes,
            runs: check.runs,
        });
    }
}

/// How the first runs ended that did not do it.
#[derive(Default)]
struct Failures {
    whole: Option<Verdict>,
    last_check: Option<Verdict>,
}

impl Failures {
    fn note(
        &mut self,
        plan: &Plan,
        number: usize,
        whole: &Candidate,
        reached: bool,
        verdict: Verdict,
    ) {
        if reached {
            return;
        }
        if plan
            .kept(number)
            .is_some_and(|kept| kept.len() == whole.len())
        {
            self.whole.get_or_insert(verdict);
        } else if plan.is_check(number) {
            self.last_check = Some(verdict);
        }
    }

    fn of_whole(&self, tally: Tally) -> Check {
        check(tally, self.whole.as_ref())
    }

    fn of_result(&self, tally: Tally) -> Check {
        check(
            tally,
            self.last_check.as_ref().filter(|_| tally.failures > 0),
        )
    }
}

fn check(tally: Tally, failure: Option<&Verdict>) -> Check {
    Check {
        successes: tally.successes,
        runs: tally.runs(),
        failure: failure.cloned(),
    }
}
