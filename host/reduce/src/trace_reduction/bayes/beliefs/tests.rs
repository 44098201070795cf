//! What is believed after a few runs, and of which candidates.

use super::*;

fn needed(belief: &StepBeliefs, step: u32) -> f64 {
    belief
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
fn what_can_be_left_out_is_not_needed_and_what_cannot_is() {
    let mut belief = StepBeliefs::new(20, 0.8);
    for _ in 0..3 {
        belief.observe(&without(20, 0..10), true);
        belief.observe(&without(20, 10..12), false);
        belief.observe(&without(20, 11..12), true);
        belief.propagate(20);
    }
    assert!(needed(&belief, 3) < 0.05 && needed(&belief, 11) < 0.05);
    assert!(
        needed(&belief, 10) > 0.95,
        "{:?}",
        belief.groups().collect::<Vec<_>>()
    );
    let nothing_known = needed(&belief, 15);
    assert!((0.1..0.9).contains(&nothing_known), "{nothing_known}");
    assert!(belief.completeness(&without(20, 0..10)) > 0.9);
    assert!(belief.completeness(&without(20, 10..11)) < 0.05);
}

/// Against the plain way: group by group.
#[test]
fn a_candidate_is_complete_if_none_of_what_it_leaves_out_is_needed() {
    let mut belief = StepBeliefs::new(40, 0.8);
    for (left_out, reached) in [
        (0..10, true),
        (10..12, false),
        (25..31, false),
        (30..40, true),
    ] {
        belief.observe(&without(40, left_out), reached);
        belief.propagate(3);
    }
    for bits in 0..1_u64 << 16 {
        // Each bit is for two or three steps; edges are in the middle of groups too.
        let mut kept = StepSpans::default();
        (0..16)
            .filter(|bit| bits >> bit & 1 == 1)
            .for_each(|bit| kept.push(bit * 5 / 2..(bit + 1) * 5 / 2));
        let steps = kept.steps();
        let plain: f64 = belief
            .groups()
            .map(|(group, needed)| {
                let left_out = group
                    .clone()
                    .filter(|step| steps.binary_search(step).is_err())
                    .count();
                1.0 - needed * left_out as f64 / group.len() as f64
            })
            .product();
        let complete = belief.completeness(&kept);
        assert!(
            (complete - plain).abs() < 1e-9,
            "{kept:?}: {complete} and not {plain}"
        );
    }
}

/// A target that half of all runs reach whatever they do.
#[test]
fn a_background_is_learned_and_single_answers_then_say_little() {
    let mut belief = StepBeliefs::new(10, 0.8);
    for number in 0..20 {
        belief.observe(&StepSpans::default(), number % 2 == 0);
        belief.observe(&StepSpans::prefix(10), number > 0);
        belief.propagate(10);
    }
    assert!(
        (0.4..0.6).contains(&belief.incomplete_rate),
        "{}",
        belief.incomplete_rate
    );
    assert!(belief.complete_rate > 0.9);
    assert!(
        belief.information_gain(0.5) < 0.3
            && belief.information_gain(0.0) < 1e-9
            && belief.information_gain(1.0) < 1e-9
    );
}
