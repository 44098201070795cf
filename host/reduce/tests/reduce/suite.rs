//! Suite reduction of apps that are a table of transitions: DetReduce's own examples, simpler steps, and coverage.

mod budgets;
mod check;
mod interruptions;
mod learned;
mod long_sessions;
mod machine;
mod properties;
mod splices;

use std::sync::Mutex;

use machine::{Destination, Machine, reduce, reduced_actions, trace};
use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_reduce::suite::{SuiteReductionAlgorithm, SuiteSettings, reduce_suite};
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;

const BOTH: [SuiteReductionAlgorithm; 2] = [
    SuiteReductionAlgorithm::DetReduce,
    SuiteReductionAlgorithm::Auto,
];
const MENU: u32 = 1;
const OPTION: u32 = 2;

/// The paper's file browser: the same button opens and closes its menu.
fn menu(opening: &'static [u32], closing: &'static [u32]) -> Machine {
    Machine::new(move |state, action| match (state, action) {
        (0, MENU) => Destination::new(1, opening),
        (1, MENU) => Destination::new(0, closing),
        (1, OPTION) => Destination::new(2, &[100]),
        (state, _) => Destination::new(state, &[]),
    })
}

#[tokio::test]
async fn example_2_1_a_redundant_loop_is_cut() {
    for algorithm in BOTH {
        let reduction = reduce(&menu(&[], &[]), &[&[MENU, MENU, MENU, OPTION]], algorithm).await;
        assert_eq!(reduced_actions(&reduction), [[MENU, OPTION]], "{algorithm}");
    }
}

#[tokio::test]
async fn example_2_2_a_loop_with_coverage_of_its_own_stays() {
    let suite: [&[u32]; 1] = [&[MENU, MENU, MENU, OPTION]];
    for algorithm in BOTH {
        let reduction = reduce(&menu(&[10], &[11]), &suite, algorithm).await;
        assert_eq!(reduced_actions(&reduction), suite, "{algorithm}");
    }
}

#[tokio::test]
async fn example_2_3_a_loop_that_later_steps_depend_on_stays() {
    let folders = || {
        Machine::new(|state, _| match state {
            0 | 1 => Destination::new(state + 1, &[1]).on_screen(0),
            _ => Destination::new(3, &[2]),
        })
    };
    for algorithm in BOTH {
        let reduction = reduce(&folders(), &[&[7, 7, 7]], algorithm).await;
        assert_eq!(reduced_actions(&reduction), [[7, 7, 7]], "{algorithm}");
    }
}

const A: u32 = 1;
const B: u32 = 2;
const C: u32 = 3;
const D: u32 = 4;
const E: u32 = 5;
const F: u32 = 6;
const EXAMPLE_2_4: [&[u32]; 3] = [&[A, B, C, D], &[A, D, E, C, D], &[A, B, C, F]];

fn example_2_4() -> Machine {
    Machine::new(|state, action| {
        let next = match (state, action) {
            (0, A) => 1,
            (1, B) | (4, E) => 2,
            (2, C) => 3,
            (3 | 1, D) => 4,
            (3, F) => 5,
            _ => state,
        };
        Destination::new(next, &[action])
    })
}

#[tokio::test]
async fn example_2_4_fragments_of_three_traces_are_spliced_into_one() {
    for algorithm in BOTH {
        let reduction = reduce(&example_2_4(), &EXAMPLE_2_4, algorithm).await;
        let expected = [[A, B, C, D, E, C, F]];
        assert_eq!(reduced_actions(&reduction), expected, "{algorithm}");
        let before = &reduction.before;
        assert_eq!((before.traces, before.transitions), (3, 13));
        let fragments = reduction.traces[0].fragments.iter();
        assert_eq!(fragments.map(|part| part.steps.len()).sum::<usize>(), 7);
        let mut dispositions = reduction.dispositions.iter();
        assert!(dispositions.any(|disposition| !disposition.in_result.is_empty()));
    }
}

#[tokio::test]
async fn example_2_4_takes_two_traces_if_a_trace_has_at_most_two_fragments() {
    let traces: Vec<Trace> = EXAMPLE_2_4.iter().map(|actions| trace(actions)).collect();
    let settings = SuiteSettings {
        algorithm: SuiteReductionAlgorithm::DetReduce,
        fragments: 2,
        ..SuiteSettings::default()
    };
    let reduction = reduce_suite(
        &traces,
        &settings,
        &example_2_4(),
        &null_sink(),
        &CancellationToken::new(),
    )
    .await
    .unwrap();
    let traces = &reduction.traces;
    assert_eq!(traces.len(), 2, "{:?}", reduced_actions(&reduction));
    assert!(traces.iter().all(|trace| trace.fragments.len() <= 2));
}

const SIMPLIFIABLE: [u32; 3] = [200, 300, 400];

/// 400 covers only with its full length, 300 with half of it, 200 with any.
fn simplifiable() -> Machine {
    Machine::new(|state, action| {
        let branch = match (state, action) {
            (0, 200 | 0) => Some(1),
            (1, 300 | 150) => Some(2),
            (2, 400) => Some(3),
            _ => None,
        };
        match branch {
            Some(branch) => Destination::new(state + 1, &[branch]),
            None => Destination::new(9, &[]),
        }
    })
}

#[tokio::test]
async fn steps_become_simpler_where_the_coverage_stays() {
    let algorithm = SuiteReductionAlgorithm::Auto;
    let reduction = reduce(&simplifiable(), &[&SIMPLIFIABLE], algorithm).await;
    assert_eq!(reduced_actions(&reduction), [[0, 150, 400]]);
    assert_eq!(reduction.simplified, 2);
    assert_eq!(reduction.traces[0].simplified, [0, 1]);
    assert_eq!((reduction.check.followed, reduction.check.runs), (10, 10));
    assert!(reduction.after.covered.contains(&reduction.before.covered));
}

#[tokio::test]
async fn steps_stay_as_recorded_without_simplify_and_in_detreduce() {
    let without_simplify = SuiteSettings {
        simplify: false,
        ..SuiteSettings::default()
    };
    let reduction = reduce_suite(
        &[trace(&SIMPLIFIABLE)],
        &without_simplify,
        &simplifiable(),
        &null_sink(),
        &CancellationToken::new(),
    )
    .await
    .unwrap();
    assert_eq!(reduced_actions(&reduction), [SIMPLIFIABLE]);
    assert_eq!(reduction.simplified, 0);

    let algorithm = SuiteReductionAlgorithm::DetReduce;
    let reduction = reduce(&simplifiable(), &[&SIMPLIFIABLE], algorithm).await;
    assert_eq!(reduced_actions(&reduction), [SIMPLIFIABLE]);
}

#[tokio::test]
async fn a_prefix_that_diverged_once_is_not_replayed_again_in_another_candidate() {
    // Three states share a screen, so that 5 and 6 look like loops; 8 is one, and is tried with and without them.
    let machine = Machine::new(|state, action| match (state, action) {
        (0, 5) => Destination::new(1, &[]).on_screen(0),
        (1, 6) => Destination::new(2, &[]).on_screen(0),
        (2, 7) => Destination::new(3, &[2]),
        (3, 8) => Destination::new(3, &[]),
        (3, 9) => Destination::new(4, &[3]),
        (state, _) => Destination::new(state, &[]).on_screen(77),
    });
    let algorithm = SuiteReductionAlgorithm::DetReduce;
    let reduction = reduce(&machine, &[&[5, 6, 7, 8, 9]], algorithm).await;
    assert_eq!(reduced_actions(&reduction), [[5, 6, 7, 9]]);
    let replays = machine.replays.lock().unwrap();
    let mut diverged: Vec<&Vec<u32>> = replays
        .iter()
        .filter(|replay| !replay.ends_with(&[9]))
        .collect();
    diverged.sort();
    assert_eq!(diverged, [&vec![5, 7], &vec![6], &vec![7]], "{replays:?}");
}

#[tokio::test]
async fn a_crash_is_coverage_even_if_everything_else_on_its_path_is_covered() {
    let machine = || {
        Machine::new(|state, action| {
            let sum = (state + action) % 4;
            let next = if action == 9 { 50 } else { sum };
            Destination {
                crashes: action == 9 && state == 2,
                ..Destination::new(next, &[]).on_screen(u64::from(sum))
            }
        })
    };
    for algorithm in BOTH {
        let suite: [&[u32]; 3] = [&[1, 1, 1, 1], &[1, 1, 9], &[1, 2, 1, 2]];
        let reduction = reduce(&machine(), &suite, algorithm).await;
        assert_eq!(reduction.after.covered.findings.len(), 1, "{algorithm}");
        assert!(reduction.after.covered.contains(&reduction.before.covered));
    }
}

#[tokio::test]
async fn what_cannot_be_replayed_is_neither_kept_nor_counted() {
    // Action 5 leads to another screen every time.
    let count = Mutex::new(0_u32);
    let machine = Machine::new(move |state, action| {
        let mut count = count.lock().unwrap();
        *count += 1;
        let screen = if action == 5 { 1_000 + *count } else { action };
        Destination::new(state + 1, &[]).on_screen(u64::from(screen))
    });
    for algorithm in BOTH {
        let reduction = reduce(&machine, &[&[1, 5, 2], &[3]], algorithm).await;
        assert_eq!(reduction.outcome, Outcome::Done);
        let actions = reduced_actions(&reduction);
        assert_eq!(actions.concat().len(), 2, "{algorithm}: {actions:?}");
        assert_eq!(reduction.dispositions[0].replayable, 1);
        assert!(reduction.not_replayable > 0);
    }
}

#[tokio::test]
async fn a_suite_of_which_nothing_can_be_replayed_does_not_reproduce() {
    let count = Mutex::new(0_u64);
    let machine = Machine::new(move |state, _| {
        let mut count = count.lock().unwrap();
        *count += 1;
        Destination::new(state, &[]).on_screen(1_000 + *count)
    });
    for algorithm in BOTH {
        let reduction = reduce(&machine, &[&[1, 2], &[3]], algorithm).await;
        assert_eq!(reduction.outcome, Outcome::DoesNotReproduce, "{algorithm}");
    }
}
