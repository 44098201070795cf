//! Simplification: kept steps become simpler where the trace still passes, and nothing else changes.

use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_reduce::oracle::{Observation, Oracle, OracleError, OracleQuery};
use retap_reduce::trace_reduction::{
    ClaimStanding, ReduceSettings, Reduction, ReductionAlgorithm, reduce,
};
use retap_shared::action::Action;
use retap_shared::connection::BoxFuture;
use retap_shared::geometry::Point;
use retap_shared::micros::Micros;
use retap_shared::trace::Step;
use retap_shared::verdict::Verdict;
use retap_testing::fakes::{scrambled, trace};

const HERE: Point = Point { x: 5, y: 6 };

/// An oracle that is a formula over the actions.
struct ActionFormula<F>(F);

impl<F: Fn(&[Action], u32) -> bool + Send + Sync> Oracle for ActionFormula<F> {
    fn ask(&self, query: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        let actions: Vec<Action> = query
            .candidate
            .steps()
            .map(|step| step.action.clone())
            .collect();
        let reached = (self.0)(&actions, query.attempt);
        let verdict = if reached {
            Verdict::TargetReached
        } else {
            Verdict::TargetNotReached
        };
        let played = actions.len() as u32;
        let took = Micros::from_millis(10);
        Box::pin(async move { Ok(Observation::new(verdict, played, took)) })
    }
}

fn text(text: &str) -> Action {
    Action::Text {
        at: HERE,
        text: text.into(),
    }
}

async fn reduced(
    actions: &[Action],
    settings: &ReduceSettings,
    reaches: impl Fn(&[Action], u32) -> bool + Send + Sync,
) -> Reduction {
    let mut trace = trace([]);
    trace.steps = actions.iter().cloned().map(Step::new).collect();
    reduce(
        &trace,
        ReductionAlgorithm::Auto,
        settings,
        &ActionFormula(reaches),
        &null_sink(),
        &CancellationToken::new(),
    )
    .await
    .unwrap()
}

fn actions(reduction: &Reduction) -> Vec<Action> {
    reduction
        .trace
        .steps
        .iter()
        .map(|step| step.action.clone())
        .collect()
}

/// Needs a text with an `x`, then a touch, then half a second.
fn reaches(actions: &[Action]) -> bool {
    let typed = actions
        .iter()
        .position(|action| matches!(action, Action::Text { text, .. } if text.contains('x')));
    let after = &actions[typed.map_or(actions.len(), |index| index + 1)..];
    let is_touch = |action: &Action| matches!(action, Action::Tap(_) | Action::LongPress(_));
    let waited: u32 = after
        .iter()
        .map(|action| {
            if let Action::Wait { millis } = action {
                *millis
            } else {
                0
            }
        })
        .sum();
    after.iter().any(is_touch) && waited >= 500
}

fn recorded_actions() -> Vec<Action> {
    let noise = [text("abc"), Action::Tap(HERE), Action::Wait { millis: 70 }];
    let needed = [
        text("some text with x in it"),
        Action::LongPress(HERE),
        Action::Wait { millis: 9_000 },
    ];
    noise.iter().chain(&needed).chain(&noise).cloned().collect()
}

#[tokio::test(start_paused = true)]
async fn texts_waits_and_presses_become_as_simple_as_the_target_allows() {
    for parallel in [1, 4] {
        let settings = ReduceSettings {
            simplify: true,
            parallel,
            ..ReduceSettings::default()
        };
        let result = reduced(&recorded_actions(), &settings, |actions, _| {
            reaches(actions)
        })
        .await;
        assert_eq!(
            actions(&result),
            [text("x"), Action::Tap(HERE), Action::Wait { millis: 562 }]
        );
        assert_eq!(result.kept, [3, 4, 5]);
        assert_eq!(result.simplified, 3);
        assert_eq!(
            result.result.map(|check| (check.successes, check.runs)),
            Some((43, 43))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn without_simplification_steps_stay_as_recorded() {
    let result = reduced(
        &recorded_actions(),
        &ReduceSettings::default(),
        |actions, _| reaches(actions),
    )
    .await;
    assert_eq!(actions(&result), recorded_actions()[3..6]);
    assert_eq!(result.simplified, 0);
}

/// A simplified trace must meet the criterion for flaky targets, in fresh attempts.
#[tokio::test(start_paused = true)]
async fn a_trace_with_a_flaky_target_is_simplified_by_its_criterion() {
    for seed in 0..5 {
        // A tap succeeds too, but only in half of the attempts.
        let rate = |actions: &[Action]| {
            if actions.contains(&Action::LongPress(HERE)) {
                960
            } else {
                500
            }
        };
        let settings = ReduceSettings {
            simplify: true,
            runs: 20,
            successes: 18,
            parallel: 4,
            check_runs: 20,
            ..ReduceSettings::default()
        };
        let result = reduced(&recorded_actions(), &settings, |actions, attempt| {
            let kinds: Vec<u32> = actions
                .iter()
                .map(|action| action.to_string().len() as u32)
                .collect();
            reaches(actions) && scrambled(seed, &kinds, attempt) % 1000 < rate(actions)
        })
        .await;
        let kept = actions(&result);
        assert!(
            kept.contains(&Action::LongPress(HERE)),
            "seed {seed}: {kept:?}"
        );
        assert!(
            kept.iter()
                .any(|action| matches!(action, Action::Text { text, .. } if text.len() < 4)),
            "{kept:?}"
        );
        let claim = result.claim.unwrap();
        assert_eq!(
            claim.standing,
            ClaimStanding::Proven,
            "seed {seed}: {claim:?}"
        );
    }
}
