//! The second pass: steps that are left become simpler where that still does it, and nothing else changes.

use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_reduce::oracle::{Observation, Oracle, OracleError, OracleQuery};
use retap_reduce::trace_reduction::{ReduceSettings, Reduction, ReductionAlgorithm, reduce};
use retap_shared::action::Action;
use retap_shared::connection::BoxFuture;
use retap_shared::geometry::Point;
use retap_shared::micros::Micros;
use retap_shared::trace::Step;
use retap_shared::verdict::Verdict;
use retap_testing::fakes::{scrambled, trace};

const HERE: Point = Point { x: 5, y: 6 };

/// An oracle that looks at what is done, not only at which steps.
struct Doing<F>(F);

impl<F: Fn(&[Action], u32) -> bool + Send + Sync> Oracle for Doing<F> {
    fn ask(&self, question: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        let actions: Vec<Action> = question
            .candidate
            .steps()
            .map(|step| step.action.clone())
            .collect();
        let reached = (self.0)(&actions, question.attempt);
        let verdict = if reached {
            Verdict::TargetReached
        } else {
            Verdict::TargetNotReached
        };
        let played = actions.len() as u32;
        let took = Micros::from_millis(10);
        Box::pin(async move {
            Ok(Observation {
                reached,
                verdict,
                played,
                took,
            })
        })
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
    does: impl Fn(&[Action], u32) -> bool + Send + Sync,
) -> Reduction {
    let mut trace = trace([]);
    trace.steps = actions.iter().cloned().map(Step::new).collect();
    reduce(
        &trace,
        ReductionAlgorithm::Auto,
        settings,
        &Doing(does),
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

/// It takes a text with an `x`, then anything that touches the screen, then half a second.
fn does(actions: &[Action]) -> bool {
    let typed = actions
        .iter()
        .position(|action| matches!(action, Action::Text { text, .. } if text.contains('x')));
    let after = &actions[typed.map_or(actions.len(), |place| place + 1)..];
    let touch = |action: &Action| matches!(action, Action::Tap(_) | Action::LongPress(_));
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
    after.iter().any(touch) && waited >= 500
}

fn long_way() -> Vec<Action> {
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
        let result = reduced(&long_way(), &settings, |actions, _| does(actions)).await;
        assert_eq!(
            actions(&result),
            [text("x"), Action::Tap(HERE), Action::Wait { millis: 562 }]
        );
        assert_eq!(result.kept, [3, 4, 5]);
        assert_eq!(result.simplified, 3);
        assert_eq!(
            result.result.map(|check| (check.successes, check.runs)),
            Some((3, 3))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn without_it_steps_stay_as_they_were_recorded() {
    let result = reduced(&long_way(), &ReduceSettings::default(), |actions, _| {
        does(actions)
    })
    .await;
    assert_eq!(actions(&result), long_way()[3..6]);
    assert_eq!(result.simplified, 0);
}

/// What simplifies a flaky trace must be as good as the trace, and is proven by fresh runs.
#[tokio::test(start_paused = true)]
async fn a_flaky_trace_is_made_simpler_by_the_rules_of_flaky_traces() {
    for seed in 0..5 {
        // Tapping does it too, but in half of the runs only.
        let odds = |actions: &[Action]| {
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
        let result = reduced(&long_way(), &settings, |actions, attempt| {
            let kinds: Vec<u32> = actions
                .iter()
                .map(|action| action.to_string().len() as u32)
                .collect();
            does(actions) && scrambled(seed, &kinds, attempt) % 1000 < odds(actions)
        })
        .await;
        let left = actions(&result);
        assert!(
            left.contains(&Action::LongPress(HERE)),
            "seed {seed}: {left:?}"
        );
        assert!(
            left.iter()
                .any(|action| matches!(action, Action::Text { text, .. } if text.len() < 4)),
            "{left:?}"
        );
        let check = result.result.unwrap();
        assert!(
            check.successes >= 18 && check.runs == 20,
            "seed {seed}: {check:?}"
        );
    }
}
