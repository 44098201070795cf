//! Proofs on freshly started phones: a result that reproduces only where earlier runs have left something is flaky.

use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_reduce::oracle::{Observation, Oracle, OracleError, OracleQuery};
use retap_reduce::trace_reduction::{
    ClaimStanding, ReduceSettings, Reduction, ReductionAlgorithm, reduce,
};
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;
use retap_shared::trace::TraceClaim;
use retap_shared::verdict::{Outcome, Verdict};
use retap_testing::fakes;

/// Phones on which a trace needs its last step, and another one too where the phone was freshly started.
struct WornPhones {
    can_start: bool,
    /// Step that is needed on a freshly started phone only.
    needed_when_fresh: Option<u32>,
}

const LAST: u32 = 9;

impl Oracle for WornPhones {
    fn ask(&self, query: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        let fresh_phone = query.fresh_phone && self.can_start;
        let numbers = fakes::numbers(query.candidate.steps());
        let has = |number: u32| numbers.contains(&number);
        let lacks_step = fresh_phone && self.needed_when_fresh.is_some_and(|step| !has(step));
        let verdict = match has(LAST) && !lacks_step {
            true => Verdict::TargetReached,
            false => Verdict::TargetNotReached,
        };
        let observation = Observation {
            phone: "phone".to_owned(),
            fresh_phone,
            ..Observation::new(verdict, 1, Micros::from_millis(10))
        };
        Box::pin(async move { Ok(observation) })
    }
}

async fn reduced(phones: WornPhones) -> Reduction {
    let trace = fakes::trace(0..=LAST);
    let settings = ReduceSettings::default();
    let algorithm = ReductionAlgorithm::Auto;
    let cancellation = CancellationToken::new();
    reduce(
        &trace,
        algorithm,
        &settings,
        &phones,
        &null_sink(),
        &cancellation,
    )
    .await
    .unwrap()
}

#[tokio::test(start_paused = true)]
async fn one_run_of_a_proof_is_on_a_freshly_started_phone() {
    let reduction = reduced(WornPhones {
        can_start: true,
        needed_when_fresh: None,
    })
    .await;
    let claim = reduction.claim.unwrap();
    assert_eq!(reduction.outcome, Outcome::Done);
    assert_eq!(claim.standing, ClaimStanding::Proven);
    assert_eq!(TraceClaim::from(&claim).fresh_starts.successes, 1);
    assert_eq!((reduction.trace.steps.len(), claim.phones.len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_result_that_never_reproduces_on_a_fresh_phone_is_flaky() {
    let reduction = reduced(WornPhones {
        can_start: true,
        needed_when_fresh: Some(LAST + 1),
    })
    .await;
    let claim = reduction.claim.unwrap();
    assert_eq!(reduction.outcome, Outcome::Flaky);
    assert_eq!(claim.standing, ClaimStanding::Flaky);
    assert!(claim.fails_when_fresh && claim.fresh_starts.failures >= 2);
    assert!(claim.tally.successes > 0, "{claim:?}");
}

/// Whatever the result is: it is called proven only if it reproduces on a fresh phone.
#[tokio::test(start_paused = true)]
async fn a_step_that_only_fresh_phones_need_is_kept_or_the_result_is_flaky() {
    let reduction = reduced(WornPhones {
        can_start: true,
        needed_when_fresh: Some(0),
    })
    .await;
    let claim = reduction.claim.unwrap();
    let is_kept = reduction.kept.contains(&0);
    assert_eq!(claim.standing == ClaimStanding::Proven, is_kept);
    assert_eq!(reduction.outcome == Outcome::Flaky, !is_kept);
}

#[tokio::test(start_paused = true)]
async fn phones_that_cannot_be_started_anew_leave_the_claim_without_fresh_starts() {
    let reduction = reduced(WornPhones {
        can_start: false,
        needed_when_fresh: Some(0),
    })
    .await;
    let claim = reduction.claim.unwrap();
    assert_eq!(claim.standing, ClaimStanding::Proven);
    assert_eq!(claim.fresh_starts.runs(), 0);
}
