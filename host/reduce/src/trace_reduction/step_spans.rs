//! A set of steps as a few ranges, so that set operations cost the number of ranges and not the length of the trace.

use std::ops::Range;

/// Ascending ranges of steps; no two touch, and none is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::trace_reduction) struct StepSpans(Vec<Range<u32>>);

impl StepSpans {
    /// The first `steps` steps.
    pub(in crate::trace_reduction) fn prefix(steps: usize) -> StepSpans {
        let mut all = StepSpans::default();
        all.push(0..u32::try_from(steps).unwrap_or(u32::MAX));
        all
    }

    pub(in crate::trace_reduction) fn len(&self) -> usize {
        self.0.iter().map(|span| span.len()).sum()
    }

    pub(in crate::trace_reduction) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::trace_reduction) fn iter(&self) -> impl Iterator<Item = &Range<u32>> {
        self.0.iter()
    }

    /// Single steps, ascending.
    pub(in crate::trace_reduction) fn steps(&self) -> Vec<u32> {
        let mut steps = Vec::with_capacity(self.len());
        self.0.iter().for_each(|span| steps.extend(span.clone()));
        steps
    }

    /// Adds steps behind all others.
    pub(in crate::trace_reduction) fn push(&mut self, span: Range<u32>) {
        match self.0.last_mut() {
            Some(last) if last.end == span.start => last.end = span.end.max(last.end),
            _ if span.is_empty() => {}
            _ => self.0.push(span),
        }
    }

    /// Steps that are not in `other`.
    pub(in crate::trace_reduction) fn difference(&self, other: &StepSpans) -> StepSpans {
        let mut left = StepSpans::default();
        let mut others = other.0.as_slice();
        for span in &self.0 {
            let mut from = span.start;
            while let [first, rest @ ..] = others {
                if first.start >= span.end {
                    break;
                }
                left.push(from..first.start.max(from));
                from = first.end.max(from);
                if first.end > span.end {
                    break;
                }
                others = rest;
            }
            left.push(from.min(span.end)..span.end);
        }
        left
    }

    /// Steps of either set.
    pub(in crate::trace_reduction) fn union(&self, other: &StepSpans) -> StepSpans {
        let mut both: Vec<Range<u32>> = [self.0.as_slice(), other.0.as_slice()].concat();
        both.sort_by_key(|span| span.start);
        let mut merged = StepSpans::default();
        for span in both {
            let from = merged
                .0
                .last()
                .map_or(span.start, |last| span.start.max(last.end));
            merged.push(from..span.end.max(from));
        }
        merged
    }

    /// Steps by their index within the set.
    pub(in crate::trace_reduction) fn slice(&self, indices: Range<usize>) -> StepSpans {
        let mut slice = StepSpans::default();
        let mut before = 0;
        for span in &self.0 {
            let part = |index: usize| {
                span.start + index.clamp(before, before + span.len()) as u32 - before as u32
            };
            slice.push(part(indices.start)..part(indices.end));
            before += span.len();
        }
        slice
    }

    /// Number of steps in both sets.
    fn intersection_len(&self, other: &StepSpans) -> usize {
        let mut mine = self.0.iter();
        let mut others = other.0.iter();
        let mut one = mine.next();
        let mut two = others.next();
        let mut common = 0;
        while let (Some(a), Some(b)) = (one, two) {
            common += (a.start.max(b.start)..a.end.min(b.end)).len();
            if a.end < b.end {
                one = mine.next();
            } else {
                two = others.next();
            }
        }
        common
    }

    /// Size of the intersection divided by the size of the union.
    pub(in crate::trace_reduction) fn jaccard_index(&self, other: &StepSpans) -> f64 {
        let common = self.intersection_len(other);
        match self.len() + other.len() - common {
            0 => 1.0,
            all => common as f64 / all as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn spans(steps: &BTreeSet<u32>) -> StepSpans {
        let mut spans = StepSpans::default();
        steps.iter().for_each(|&step| spans.push(step..step + 1));
        spans
    }

    fn sets() -> impl Strategy<Value = BTreeSet<u32>> {
        prop::collection::btree_set(0_u32..40, 0..30)
    }

    proptest! {
        #[test]
        fn spans_behave_like_sets(one in sets(), other in sets(), from in 0_usize..30, count in 0_usize..30) {
            let a = spans(&one);
            let b = spans(&other);
            prop_assert_eq!(a.steps(), one.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(a.len(), one.len());
            prop_assert_eq!(a.difference(&b), spans(&(&one - &other)));
            prop_assert_eq!(a.union(&b), spans(&(&one | &other)));
            let slice = one.iter().copied().skip(from).take(count).collect();
            prop_assert_eq!(a.slice(from..from + count), spans(&slice));
            let common = (&one & &other).len();
            let all = (&one | &other).len();
            let jaccard = if all == 0 { 1.0 } else { common as f64 / all as f64 };
            prop_assert_eq!(a.jaccard_index(&b), jaccard);
        }
    }
}
