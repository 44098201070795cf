//! Beliefs after a few observations.

use super::*;

fn needed(beliefs: &StepBeliefs, step: u32) -> f64 {
    beliefs
        .groups()
        .find(|(range, _)| range.contains(&step))
        .unwrap()
        .1
}

fn without(steps: u32, left_out: Range<u32>) -> StepSpans {
    let mut kept = StepSpans::default();
    kept.push(0..left_out.start);
    kept.push(left_out.end..steps);
    kept
}

#[test]
fn steps_that_can_be_left_out_are_not_needed_and_others_are() {
    let mut beliefs = StepBeliefs::new(20, 0.8);
    for _ in 0..3 {
        beliefs.observe(&without(20, 0..10), true);
        beliefs.observe(&without(20, 10..12), false);
        beliefs.observe(&without(20, 11..12), true);
        beliefs.propagate(20);
    }
    assert!(needed(&beliefs, 3) < 0.05 && needed(&beliefs, 11) < 0.05);
    assert!(
        needed(&beliefs, 10) > 0.95,
        "{:?}",
        beliefs.groups().collect::<Vec<_>>()
    );
    let unobserved = needed(&beliefs, 15);
    assert!((0.1..0.9).contains(&unobserved), "{unobserved}");
    assert!(beliefs.completeness(&without(20, 0..10)) > 0.9);
    assert!(beliefs.completeness(&without(20, 10..11)) < 0.05);
}

/// Compares with the product over all groups.
#[test]
fn a_candidate_is_complete_if_no_left_out_step_is_needed() {
    let mut beliefs = StepBeliefs::new(40, 0.8);
    for (left_out, reached) in [
        (0..10, true),
        (10..12, false),
        (25..31, false),
        (30..40, true),
    ] {
        beliefs.observe(&without(40, left_out), reached);
        beliefs.propagate(3);
    }
    for bits in 0..1_u64 << 16 {
        // Each bit stands for two or three steps; some boundaries are inside groups.
        let mut kept = StepSpans::default();
        (0..16)
            .filter(|bit| bits >> bit & 1 == 1)
            .for_each(|bit| kept.push(bit * 5 / 2..(bit + 1) * 5 / 2));
        let steps = kept.steps();
        let expected: f64 = beliefs
            .groups()
            .map(|(group, needed)| {
                let left_out = group
                    .clone()
                    .filter(|step| steps.binary_search(step).is_err())
                    .count();
                1.0 - needed * left_out as f64 / group.len() as f64
            })
            .product();
        let complete = beliefs.completeness(&kept);
        assert!(
            (complete - expected).abs() < 1e-9,
            "{kept:?}: {complete} instead of {expected}"
        );
    }
}

/// A target that half of all attempts reach, whatever their steps are.
#[test]
fn a_background_rate_is_learned_and_single_observations_then_carry_little_information() {
    let mut beliefs = StepBeliefs::new(10, 0.8);
    for number in 0..20 {
        beliefs.observe(&StepSpans::default(), number % 2 == 0);
        beliefs.observe(&StepSpans::prefix(10), number > 0);
        beliefs.propagate(10);
    }
    assert!(
        (0.4..0.6).contains(&beliefs.incomplete_rate),
        "{}",
        beliefs.incomplete_rate
    );
    assert!(beliefs.complete_rate > 0.9);
    assert!(
        beliefs.information_gain(0.5) < 0.3
            && beliefs.information_gain(0.0) < 1e-9
            && beliefs.information_gain(1.0) < 1e-9
    );
}

#[test]
fn a_target_that_is_hardly_ever_reached_keeps_both_rates_in_order() {
    let mut beliefs = StepBeliefs::new(20, 0.8);
    beliefs.expect_flaky_original(0.001);
    for round in 0..400 {
        beliefs.observe(&StepSpans::prefix(20), false);
        beliefs.observe(&without(20, 0..10), round == 0);
        beliefs.observe(&without(20, 10..20), false);
        beliefs.propagate(3);
    }
    assert!(beliefs.incomplete_rate < beliefs.complete_rate);
}
