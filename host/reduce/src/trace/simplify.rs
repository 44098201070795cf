//! The second pass: what is left is made simpler where it still passes. Shorter texts, a tap where the finger rested, shorter
//! waits. It leaves no step out and knows no algorithm: whatever has reduced a trace, this can follow.

use retap_shared::action::Action;
use retap_shared::trace::Step;

use super::evaluation::{CandidateEvaluator, ReductionStop};
use crate::oracle::Candidate;

/// A wait is halved until it is as short as this.
const SHORT_WAIT: u32 = 100;

/// Replaces steps of `best`, which is known to pass, by simpler ones as long as it still does. Tells how many have changed.
pub(super) async fn simplify(
    judge: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
) -> Result<usize, ReductionStop> {
    let mut changed = 0;
    for place in 0..best.len() {
        let mut steps = best.to_steps();
        let before = steps[place].action.clone();
        loop {
            let simpler = simpler(&steps[place].action);
            let candidate = |number: usize| Candidate::from(with(&steps, place, &simpler[number]));
            let Some((number, _)) = judge.first_passing(simpler.len(), candidate).await? else {
                break;
            };
            steps = with(&steps, place, &simpler[number]);
        }
        if steps[place].action != before {
            *best = best.with_replaced_steps(steps);
            changed += 1;
        }
    }
    Ok(changed)
}

fn with(steps: &[Step], place: usize, action: &Action) -> Vec<Step> {
    let mut steps = steps.to_vec();
    steps[place].action = action.clone();
    steps
}

/// What might do instead, the simplest first. Each is simpler than the action, so that this comes to an end.
pub(crate) fn simpler(action: &Action) -> Vec<Action> {
    match action {
        Action::LongPress(at) => vec![Action::Tap(*at)],
        Action::Text { at, text } => {
            let shorter = |text: String| Action::Text {
                at: *at,
                text: text.into(),
            };
            shorter_texts(text).into_iter().map(shorter).collect()
        }
        Action::Wait { millis } if *millis > SHORT_WAIT => {
            vec![
                Action::Wait { millis: 0 },
                Action::Wait { millis: millis / 2 },
            ]
        }
        Action::Wait { .. }
        | Action::Tap(_)
        | Action::Swipe { .. }
        | Action::Pinch { .. }
        | Action::Key(_)
        | Action::Rotate(_)
        | Action::Launch
        | Action::System(_) => Vec::new(),
    }
}

/// Nothing, either half, all but the last or the first character.
fn shorter_texts(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let count = letters.len();
    let half = letters.len() / 2;
    let mut texts: Vec<String> = Vec::new();
    for part in [
        0..0,
        0..half,
        half..count,
        0..count.saturating_sub(1),
        1.min(count)..count,
    ] {
        let part: String = letters[part].iter().collect();
        if part.len() < text.len() && !texts.contains(&part) {
            texts.push(part);
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_tried_instead_is_shorter_and_nothing_is_tried_twice() {
        assert_eq!(shorter_texts("abcd"), ["", "ab", "cd", "abc", "bcd"]);
        assert_eq!(shorter_texts("ab"), ["", "a", "b"]);
        assert_eq!(shorter_texts("x"), [""]);
        assert_eq!(shorter_texts(""), [""; 0]);
        assert_eq!(shorter_texts("äöü"), ["", "ä", "öü", "äö"]);
    }
}
