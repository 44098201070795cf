//! Whole suites, on apps that are a table of transitions: DetReduce's own examples, and what must hold of every suite.

mod learned;
mod machine;

use std::num::NonZeroU32;
use std::sync::Mutex;

use machine::{Machine, To, left, reduced, trace};
use proptest::prelude::*;
use rand::RngExt;
use retap_device::CancellationToken;
use retap_device::DevicePool;
use retap_device::run_event::null_sink;
use retap_device::seed::Seed;
use retap_explore::journal::{ExplorationContext, MemoryExplorationJournal};
use retap_explore::{ExploreSettings, RandomSessions, run_exploration};
use retap_model::{Abstraction, PreparedAbstraction, WidgetAbstraction};
use retap_reduce::journal::MemoryReductionJournal;
use retap_reduce::suite::{
    JournaledReplayer, PooledReplayer, Replayer, SuiteError, SuiteReduction,
    SuiteReductionAlgorithm, SuiteSettings, reduce_suite,
};
use retap_shared::action::{Action, Key};
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;
use retap_testing::TinyApp;

const BOTH: [SuiteReductionAlgorithm; 2] = [
    SuiteReductionAlgorithm::DetReduce,
    SuiteReductionAlgorithm::Auto,
];
const MENU: u32 = 1;
const OPTION: u32 = 2;

/// The file browser's menu: opened and closed by the same button.
fn menu(opening: &'static [u32], closing: &'static [u32]) -> Machine {
    Machine::new(move |state, action| match (state, action) {
        (0, MENU) => To {
            state: 1,
            screen: 1,
            branches: opening.to_vec(),
            crashes: false,
        },
        (1, MENU) => To {
            state: 0,
            screen: 0,
            branches: closing.to_vec(),
            crashes: false,
        },
        (1, OPTION) => To {
            state: 2,
            screen: 2,
            branches: vec![100],
            crashes: false,
        },
        (state, _) => To {
            state,
            screen: u64::from(state),
            branches: vec![],
            crashes: false,
        },
    })
}

#[tokio::test]
async fn example_2_1_a_loop_that_covers_nothing_of_its_own_is_cut() {
    for algorithm in BOTH {
        let reduction = reduced(&menu(&[], &[]), &[&[MENU, MENU, MENU, OPTION]], algorithm).await;
        assert_eq!(left(&reduction), [[MENU, OPTION]], "{algorithm}");
    }
}

#[tokio::test]
async fn example_2_2_a_loop_that_covers_something_stays() {
    for algorithm in BOTH {
        let reduction = reduced(
            &menu(&[10], &[11]),
            &[&[MENU, MENU, MENU, OPTION]],
            algorithm,
        )
        .await;
        assert_eq!(
            left(&reduction),
            [[MENU, MENU, MENU, OPTION]],
            "{algorithm}"
        );
    }
}

#[tokio::test]
async fn example_2_3_a_loop_that_the_rest_depends_on_stays() {
    let folders = || {
        Machine::new(|state, _| match state {
            0 | 1 => To {
                state: state + 1,
                screen: 0,
                branches: vec![1],
                crashes: false,
            },
            _ => To {
                state: 3,
                screen: 3,
                branches: vec![2],
                crashes: false,
            },
        })
    };
    for algorithm in BOTH {
        let reduction = reduced(&folders(), &[&[7, 7, 7]], algorithm).await;
        assert_eq!(left(&reduction), [[7, 7, 7]], "{algorithm}");
    }
}

const A: u32 = 1;
const B: u32 = 2;
const C: u32 = 3;
const D: u32 = 4;
const E: u32 = 5;
const F: u32 = 6;

#[tokio::test]
async fn example_2_4_fragments_of_three_traces_become_one() {
    let machine = || {
        Machine::new(|state, action| {
            let next = match (state, action) {
                (0, A) => 1,
                (1, B) | (4, E) => 2,
                (2, C) => 3,
                (3 | 1, D) => 4,
                (3, F) => 5,
                _ => state,
            };
            To {
                state: next,
                screen: u64::from(next),
                branches: vec![action],
                crashes: false,
            }
        })
    };
    let suite: [&[u32]; 3] = [&[A, B, C, D], &[A, D, E, C, D], &[A, B, C, F]];
    for algorithm in BOTH {
        let reduction = reduced(&machine(), &suite, algorithm).await;
        assert_eq!(left(&reduction), [[A, B, C, D, E, C, F]], "{algorithm}");
        assert_eq!(
            (reduction.before.traces, reduction.before.transitions),
            (3, 13)
        );
        let used: Vec<usize> = reduction
            .dispositions
            .iter()
            .map(|fate| fate.in_result.len())
            .collect();
        assert_eq!(
            reduction.traces[0]
                .fragments
                .iter()
                .map(|part| part.steps.len())
                .sum::<usize>(),
            7
        );
        assert!(used.iter().any(|uses| *uses > 0));
    }
    // With two fragments at most it takes two traces.
    let traces: Vec<Trace> = suite.iter().map(|actions| trace(actions)).collect();
    let settings = SuiteSettings {
        algorithm: SuiteReductionAlgorithm::DetReduce,
        fragments: 2,
        ..SuiteSettings::default()
    };
    let reduction = reduce_suite(
        &traces,
        &settings,
        &machine(),
        &null_sink(),
        &CancellationToken::new(),
    )
    .await
    .unwrap();
    assert_eq!(reduction.traces.len(), 2, "{:?}", left(&reduction));
    assert!(
        reduction
            .traces
            .iter()
            .all(|kept| kept.fragments.len() <= 2)
    );
}

#[tokio::test]
async fn what_is_left_is_made_simpler_where_it_covers_the_same() {
    // 400 needs its whole length, 300 half of it, and 200 nothing but being there.
    let machine = || {
        Machine::new(|state, action| {
            let branch = match (state, action) {
                (0, 200 | 0) => Some(1),
                (1, 300 | 150) => Some(2),
                (2, 400) => Some(3),
                _ => None,
            };
            let next = if branch.is_some() { state + 1 } else { 9 };
            To {
                state: next,
                screen: u64::from(next),
                branches: branch.into_iter().collect(),
                crashes: false,
            }
        })
    };
    let reduction = reduced(
        &machine(),
        &[&[200, 300, 400]],
        SuiteReductionAlgorithm::Auto,
    )
    .await;
    assert_eq!(left(&reduction), [[0, 150, 400]]);
    assert_eq!(
        (reduction.simplified, &reduction.traces[0].simplified[..]),
        (2, &[0, 1][..])
    );
    assert_eq!(reduction.replays, (10, 10));
    assert!(reduction.after.covered.contains(&reduction.before.covered));

    let traces = [trace(&[200, 300, 400])];
    let plain = SuiteSettings {
        simplify: false,
        ..SuiteSettings::default()
    };
    let reduction = reduce_suite(
        &traces,
        &plain,
        &machine(),
        &null_sink(),
        &CancellationToken::new(),
    )
    .await
    .unwrap();
    assert_eq!(
        (left(&reduction), reduction.simplified),
        (vec![vec![200, 300, 400]], 0)
    );
    // The paper's leaves steps out and nothing else.
    let reduction = reduced(
        &machine(),
        &[&[200, 300, 400]],
        SuiteReductionAlgorithm::DetReduce,
    )
    .await;
    assert_eq!(left(&reduction), [[200, 300, 400]]);
}

#[tokio::test]
async fn a_prefix_that_failed_once_is_not_played_again_in_another_way() {
    // Three states look the same, so that 5 and 6 look like loops; 8 is one, and is tried with and without them.
    let machine = Machine::new(|state, action| match (state, action) {
        (0, 5) => To {
            state: 1,
            screen: 0,
            branches: vec![],
            crashes: false,
        },
        (1, 6) => To {
            state: 2,
            screen: 0,
            branches: vec![],
            crashes: false,
        },
        (2, 7) => To {
            state: 3,
            screen: 3,
            branches: vec![2],
            crashes: false,
        },
        (3, 8) => To {
            state: 3,
            screen: 3,
            branches: vec![],
            crashes: false,
        },
        (3, 9) => To {
            state: 4,
            screen: 4,
            branches: vec![3],
            crashes: false,
        },
        (state, _) => To {
            state,
            screen: 77,
            branches: vec![],
            crashes: false,
        },
    });
    let reduction = reduced(
        &machine,
        &[&[5, 6, 7, 8, 9]],
        SuiteReductionAlgorithm::DetReduce,
    )
    .await;
    assert_eq!(left(&reduction), [[5, 6, 7, 9]]);
    let runs = machine.runs.lock().unwrap();
    let mut failed: Vec<&Vec<u32>> = runs.iter().filter(|run| !run.ends_with(&[9])).collect();
    failed.sort();
    assert_eq!(failed, [&vec![5, 7], &vec![6], &vec![7]], "{runs:?}");
}

#[tokio::test]
async fn a_crash_is_coverage_even_if_all_else_on_its_way_is_covered() {
    let machine = || {
        Machine::new(|state, action| To {
            state: if action == 9 {
                50
            } else {
                (state + action) % 4
            },
            screen: u64::from((state + action) % 4),
            branches: vec![],
            crashes: action == 9 && state == 2,
        })
    };
    for algorithm in BOTH {
        let suite: [&[u32]; 3] = [&[1, 1, 1, 1], &[1, 1, 9], &[1, 2, 1, 2]];
        let reduction = reduced(&machine(), &suite, algorithm).await;
        assert_eq!(reduction.after.covered.findings.len(), 1, "{algorithm}");
        assert!(reduction.after.covered.contains(&reduction.before.covered));
    }
}

#[tokio::test]
async fn what_cannot_be_replayed_is_neither_kept_nor_counted() {
    // The second action leads somewhere else every time.
    let count = Mutex::new(0_u32);
    let machine = Machine::new(move |state, action| {
        let mut count = count.lock().unwrap();
        *count += 1;
        let screen = if action == 5 {
            1_000 + u64::from(*count)
        } else {
            u64::from(action)
        };
        To {
            state: state + 1,
            screen,
            branches: vec![],
            crashes: false,
        }
    });
    for algorithm in BOTH {
        let reduction = reduced(&machine, &[&[1, 5, 2], &[3]], algorithm).await;
        assert_eq!(reduction.outcome, Outcome::Done);
        assert_eq!(
            left(&reduction).concat().len(),
            2,
            "{algorithm}: {:?}",
            left(&reduction)
        );
        assert_eq!(reduction.dispositions[0].replayable, 1);
        assert!(reduction.not_replayable > 0);
    }
}

#[tokio::test]
async fn a_suite_of_which_nothing_can_be_replayed_does_not_reproduce() {
    let count = Mutex::new(0_u64);
    let machine = Machine::new(move |state, _| {
        *count.lock().unwrap() += 1;
        To {
            state,
            screen: 1_000 + *count.lock().unwrap(),
            branches: vec![],
            crashes: false,
        }
    });
    for algorithm in BOTH {
        let reduction = reduced(&machine, &[&[1, 2], &[3]], algorithm).await;
        assert_eq!(reduction.outcome, Outcome::DoesNotReproduce, "{algorithm}");
    }
}

/// An app made by a seed, of which only a part of its state is seen.
fn made(seed: u64) -> Machine {
    Machine::new(move |state, action| {
        let mut rng = Seed(seed)
            .derive("to", u64::from(state) * 64 + u64::from(action))
            .rng();
        let next = rng.random_range(0..14);
        let crashes = rng.random_range(0..25) == 0;
        let branches = (0..rng.random_range(0..3))
            .map(|_| rng.random_range(0..40))
            .collect();
        To {
            state: next,
            screen: u64::from(next % 6),
            branches,
            crashes,
        }
    })
}

fn made_suite(seed: u64) -> Vec<Vec<u32>> {
    let mut rng = Seed(seed).derive("suite", 0).rng();
    let mut suite = Vec::new();
    for _ in 0..25 {
        suite.push(
            (0..rng.random_range(1..14))
                .map(|_| rng.random_range(0..5))
                .collect(),
        );
    }
    suite
}

async fn made_and_reduced(
    machine: &Machine,
    seed: u64,
    algorithm: SuiteReductionAlgorithm,
) -> SuiteReduction {
    let suite = made_suite(seed);
    let suite: Vec<&[u32]> = suite.iter().map(Vec::as_slice).collect();
    reduced(machine, &suite, algorithm).await
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_number_of_phones_leads_to_the_same_suite(seed in any::<u64>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for algorithm in BOTH {
            let on = |width: usize| {
                let machine = Machine { width, ..made(seed) };
                runtime.block_on(made_and_reduced(&machine, seed, algorithm))
            };
            let one = on(1);
            for width in [2, 4, 15] {
                prop_assert_eq!(&on(width).traces, &one.traces, "{} phones", width);
            }
        }
    }

    #[test]
    fn whatever_the_app_all_is_covered_and_nothing_is_longer(seed in any::<u64>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for algorithm in BOTH {
            let reduction = runtime.block_on(made_and_reduced(&made(seed), seed, algorithm));
            prop_assert_eq!(reduction.outcome, Outcome::Done);
            prop_assert_eq!(reduction.not_replayable, 0);
            prop_assert!(reduction.after.covered.contains(&reduction.before.covered));
            prop_assert!(reduction.after.transitions <= reduction.before.transitions);
            prop_assert!(reduction.after.traces <= reduction.before.traces);
            prop_assert_eq!(reduction.replays.0, reduction.replays.1);
            // Each trace of the result, played once more, covers what was said.
            let machine = made(seed);
            let suite: Vec<Vec<u32>> = left(&reduction);
            let suite: Vec<&[u32]> = suite.iter().map(Vec::as_slice).collect();
            let again = runtime.block_on(reduced(&machine, &suite, SuiteReductionAlgorithm::DetReduce));
            prop_assert_eq!(&again.before.covered, &reduction.after.covered);
        }
    }

    #[test]
    fn an_app_that_goes_astray_now_and_then_loses_nothing_that_is_told_as_kept(seed in any::<u64>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for algorithm in BOTH {
            let stray = Some((200, Mutex::new(Seed(seed).rng())));
            let machine = Machine { stray, width: 3, ..made(seed) };
            let reduction = runtime.block_on(made_and_reduced(&machine, seed, algorithm));
            prop_assert!(reduction.after.covered.contains(&reduction.before.covered));
            prop_assert_eq!(reduction.replays.0, reduction.replays.1);
        }
    }
}

#[tokio::test]
async fn a_reduction_that_was_stopped_goes_on_without_playing_anything_twice() {
    for algorithm in BOTH {
        let traces: Vec<Trace> = made_suite(3).iter().map(|actions| trace(actions)).collect();
        let settings = SuiteSettings {
            algorithm,
            ..SuiteSettings::default()
        };
        let whole = made_and_reduced(&made(3), 3, algorithm).await;

        let log = MemoryReductionJournal::default();
        let machine = made(3);
        let mut finished = None;
        for more in (10..).step_by(40) {
            let stop = CancellationToken::new();
            let stopping = stop.clone();
            let seen = Mutex::new(0);
            let sink: retap_device::run_event::EventSink = std::sync::Arc::new(move |_| {
                *seen.lock().unwrap() += 1;
                if *seen.lock().unwrap() == more {
                    stopping.cancel();
                }
            });
            let replayer = JournaledReplayer::new(&machine, &log, &sink);
            let reduction = reduce_suite(&traces, &settings, &replayer, &sink, &stop)
                .await
                .unwrap();
            if reduction.outcome != Outcome::Interrupted {
                finished = Some(reduction);
                break;
            }
        }
        let finished = finished.unwrap();
        assert_eq!(left(&finished), left(&whole), "{algorithm}");
        // A run that was under way when it was stopped is played again; nothing else is.
        let noted = log.runs();
        assert_eq!(noted as u64, whole.cost.runs, "{algorithm}");
        assert!(machine.runs() < 2 * noted, "{algorithm}");
    }
}

#[tokio::test(start_paused = true)]
async fn phones_that_are_lost_for_good_end_it_with_an_error_and_a_new_phone_goes_on() {
    let tiny = TinyApp {
        back_by: Some(Action::Key(Key::Back)),
        ..TinyApp::default()
    };
    let settings = ExploreSettings {
        keep_traces: true,
        ..ExploreSettings::new(TinyApp::app(), 120)
    };
    let explorer = RandomSessions::new(Seed(7), NonZeroU32::new(8).unwrap());
    let context = ExplorationContext {
        seed: Seed(7),
        events: &null_sink(),
        journal: &MemoryExplorationJournal::default(),
        cancellation: &CancellationToken::new(),
    };
    let pool = DevicePool::new(vec![tiny.device("one").await]);
    let explored = run_exploration(&pool, Box::new(explorer), &settings, context)
        .await
        .unwrap();
    let traces: Vec<Trace> = explored
        .traces
        .into_iter()
        .map(|(_, trace)| trace)
        .collect();
    assert!(traces.len() >= 15);

    let widgets =
        || PreparedAbstraction::by(&Abstraction::Widgets(WidgetAbstraction::default())).unwrap();
    let on =
        |pool: &DevicePool| PooledReplayer::new(pool, TinyApp::app().app, widgets(), &null_sink());
    for algorithm in BOTH {
        let settings = SuiteSettings {
            algorithm,
            ..SuiteSettings::default()
        };
        let reduce = async |replayer: &dyn Replayer| {
            reduce_suite(
                &traces,
                &settings,
                replayer,
                &null_sink(),
                &CancellationToken::new(),
            )
            .await
        };
        let calm = reduce(&on(&pool)).await.unwrap();
        assert_eq!(
            (calm.outcome, calm.after.covered.findings.len()),
            (Outcome::Done, 1)
        );

        let log = MemoryReductionJournal::default();
        let dying = DevicePool::new(vec![
            TinyApp {
                lost_at: Some(60),
                ..tiny.clone()
            }
            .device("dying")
            .await,
        ]);
        let error = reduce(&JournaledReplayer::new(on(&dying), &log, &null_sink()))
            .await
            .unwrap_err();
        assert!(matches!(error, SuiteError::Pool(_)), "{error}");
        let before = log.runs();
        assert!(before > 0);
        let resumed = reduce(&JournaledReplayer::new(on(&pool), &log, &null_sink()))
            .await
            .unwrap();
        assert_eq!(
            (resumed.traces, resumed.cost),
            (calm.traces, calm.cost),
            "{algorithm}"
        );
    }
}
