//! How likely it is, before anything was run, that a candidate reaches its target with probability p; and what nr runs
//! then say about it. The numbers `c (p1/p2)` beside a result come from here.

use xxhash_rust::xxh3::xxh3_64;

/// Fitted so that the columns p1 and p2 of the published tables come out.
const PUBLISHED_PRIOR: &str = include_str!("../../data/nd3min-prior.csv");
/// A result is held to be good from here on.
pub const GOOD_SUCCESS_RATE: f64 = 0.85;
/// Probabilities are written with two digits; anything nearer than this is the same one.
const PROBABILITY_TOLERANCE: f64 = 1e-9;
/// What is learned starts as if this many candidates had been met before, distributed as the paper's.
const PRIOR_STRENGTH: f64 = 40.0;
const EM_ITERATIONS: usize = 60;

/// A discrete distribution over probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct SuccessRatePrior {
    points: Vec<PriorPoint>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PriorPoint {
    pub p: f64,
    pub weight: f64,
}

/// How often a candidate was seen to do it, and not to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttemptTally {
    pub successes: u32,
    pub failures: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PriorError {
    #[error("line {line} is `{text}` instead of a probability, a comma and its weight")]
    Line { line: usize, text: String },
    #[error(
        "line {line} says {p} with weight {weight}; both must be numbers, the first one from 0 to 1, the second not below 0"
    )]
    Range {
        line: usize,
        p: String,
        weight: String,
    },
    #[error("the weights add up to nothing")]
    Empty,
}

impl AttemptTally {
    pub fn runs(&self) -> u32 {
        self.successes + self.failures
    }

    pub fn count(&mut self, reached: bool) {
        if reached {
            self.successes += 1;
        } else {
            self.failures += 1;
        }
    }
}

impl SuccessRatePrior {
    /// The one that the paper's tables follow.
    pub fn published() -> SuccessRatePrior {
        SuccessRatePrior::parse(PUBLISHED_PRIOR).expect("the built-in table is well formed")
    }

    /// `p,probability` in the first line, then one point a line. Weights need not add up to 1.
    pub fn parse(text: &str) -> Result<SuccessRatePrior, PriorError> {
        let mut points = Vec::new();
        for (number, text) in text.lines().enumerate().skip(1) {
            if !text.trim().is_empty() {
                points.push(parse_point(number + 1, text.trim())?);
            }
        }
        SuccessRatePrior::normalized(points).ok_or(PriorError::Empty)
    }

    /// As `parse` reads it.
    pub fn to_text(&self) -> String {
        let line = |point: &PriorPoint| format!("{},{}\n", point.p, point.weight);
        "p,probability\n".to_owned() + &self.points.iter().map(line).collect::<String>()
    }

    /// The paper's, corrected by what was seen of candidates since: the likeliest distribution, by repeated estimation.
    pub fn fitted(seen: &[(AttemptTally, u64)]) -> SuccessRatePrior {
        let paper = SuccessRatePrior::published();
        let mut prior = paper.clone();
        for _ in 0..EM_ITERATIONS {
            let mut weights: Vec<f64> = paper
                .points
                .iter()
                .map(|point| PRIOR_STRENGTH * point.weight)
                .collect();
            for (tally, times) in seen {
                let after = prior.posterior(*tally);
                for (weight, point) in weights.iter_mut().zip(&after.points) {
                    *weight += *times as f64 * point.weight;
                }
            }
            let learned = paper
                .points
                .iter()
                .zip(weights)
                .map(|(point, weight)| PriorPoint { weight, ..*point });
            prior = SuccessRatePrior::normalized(learned.collect()).unwrap_or(prior);
        }
        prior
    }

    fn normalized(mut points: Vec<PriorPoint>) -> Option<SuccessRatePrior> {
        let sum: f64 = points.iter().map(|point| point.weight).sum();
        if !sum.is_finite() || sum <= 0.0 {
            return None;
        }
        points.iter_mut().for_each(|point| point.weight /= sum);
        Some(SuccessRatePrior { points })
    }

    pub fn points(&self) -> &[PriorPoint] {
        &self.points
    }

    /// The same for the same distribution: policies are kept under it.
    pub fn hash(&self) -> u64 {
        let numbers = self.points.iter().flat_map(|point| [point.p, point.weight]);
        xxh3_64(&numbers.flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
    }

    /// The chance of exactly these answers in one certain order.
    pub fn marginal_likelihood(&self, tally: AttemptTally) -> f64 {
        self.points
            .iter()
            .map(|point| point.weight * likelihood(point.p, tally))
            .sum()
    }

    /// What is believed once these answers have been seen.
    pub fn posterior(&self, tally: AttemptTally) -> SuccessRatePrior {
        let seen = self.points.iter().map(|point| PriorPoint {
            p: point.p,
            weight: point.weight * likelihood(point.p, tally),
        });
        SuccessRatePrior::normalized(seen.collect()).unwrap_or_else(|| self.clone())
    }

    /// The chance that p is at least `bound`.
    pub fn tail_probability(&self, bound: f64) -> f64 {
        self.points
            .iter()
            .filter(|point| point.p >= bound - PROBABILITY_TOLERANCE)
            .map(|point| point.weight)
            .sum()
    }

    /// p1: how sure a check makes one that the result does it in at least 85 of 100 runs.
    pub fn p1(&self, check: AttemptTally) -> f64 {
        self.posterior(check).tail_probability(GOOD_SUCCESS_RATE)
    }

    /// p2: Lemma 1. How sure one is that of `events` events no single one can be left out, since the candidate
    /// without it has failed `successes` of `runs` for every one of them.
    pub fn p2(&self, events: usize, runs: u32, successes: u32) -> f64 {
        let bound = f64::from(successes) / f64::from(runs);
        let failed =
            |point: &PriorPoint| point.weight * (1.0 - pass_probability(point.p, runs, successes));
        let below = self
            .points
            .iter()
            .filter(|point| point.p < bound - PROBABILITY_TOLERANCE);
        let all: f64 = self.points.iter().map(failed).sum();
        if all <= 0.0 {
            return 1.0;
        }
        let one = below.map(failed).sum::<f64>() / all;
        one.powi(i32::try_from(events).unwrap_or(i32::MAX))
    }
}

/// The chance of at least `successes` successes in `runs` runs.
pub fn pass_probability(p: f64, runs: u32, successes: u32) -> f64 {
    (successes..=runs)
        .map(|count| binomial(runs, count) * power(p, count) * power(1.0 - p, runs - count))
        .sum()
}

pub fn binomial(from: u32, count: u32) -> f64 {
    (0..count.min(from - count)).fold(1.0, |product, i| {
        product * f64::from(from - i) / f64::from(i + 1)
    })
}

fn likelihood(p: f64, tally: AttemptTally) -> f64 {
    power(p, tally.successes) * power(1.0 - p, tally.failures)
}

fn power(base: f64, exponent: u32) -> f64 {
    base.powi(i32::try_from(exponent).unwrap_or(i32::MAX))
}

fn parse_point(line: usize, text: &str) -> Result<PriorPoint, PriorError> {
    let (p, weight) = text.split_once(',').ok_or_else(|| PriorError::Line {
        line,
        text: text.to_owned(),
    })?;
    let range = || PriorError::Range {
        line,
        p: p.to_owned(),
        weight: weight.to_owned(),
    };
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| range());
    let point = PriorPoint {
        p: number(p)?,
        weight: number(weight)?,
    };
    if !(0.0..=1.0).contains(&point.p) || !point.weight.is_finite() || point.weight < 0.0 {
        return Err(range());
    }
    Ok(point)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two digits, the rest cut off, as the paper prints them.
    fn cut(probability: f64) -> u32 {
        (probability * 100.0 + 1e-9) as u32
    }

    fn tally(successes: u32, failures: u32) -> AttemptTally {
        AttemptTally {
            successes,
            failures,
        }
    }

    #[test]
    fn the_papers_column_p1_comes_out() {
        let published = [
            (20, 99),
            (19, 94),
            (18, 69),
            (17, 43),
            (16, 23),
            (15, 11),
            (14, 4),
            (12, 0),
        ];
        let prior = SuccessRatePrior::published();
        for (c, p1) in published {
            assert_eq!(cut(prior.p1(tally(c, 20 - c))), p1, "{c} of 20");
        }
    }

    #[test]
    fn the_papers_column_p2_comes_out() {
        let published = [
            (1, 98),
            (2, 96),
            (5, 91),
            (7, 88),
            (10, 84),
            (11, 82),
            (13, 80),
            (15, 77),
            (16, 76),
            (19, 72),
            (23, 67),
            (25, 65),
            (30, 59),
        ];
        let prior = SuccessRatePrior::published();
        for (events, p2) in published {
            assert_eq!(cut(prior.p2(events, 20, 18)), p2, "{events} events");
        }
        assert!(
            (prior.p2(0, 20, 18) - 1.0).abs() < 1e-12,
            "of nothing nothing can be left out"
        );
    }

    /// The paper: after 18 of 20 runs a candidate is good with more than 95 %.
    #[test]
    fn a_candidate_that_passed_is_good_nineteen_times_in_twenty() {
        let prior = SuccessRatePrior::published();
        let weigh = |point: &PriorPoint| point.weight * pass_probability(point.p, 20, 18);
        let all: f64 = prior.points().iter().map(weigh).sum();
        let good: f64 = prior
            .points()
            .iter()
            .filter(|point| point.p >= GOOD_SUCCESS_RATE - PROBABILITY_TOLERANCE)
            .map(weigh)
            .sum();
        assert!(good / all > 0.95);
    }

    #[test]
    fn what_is_learned_follows_what_is_seen_and_without_it_stays_the_papers() {
        let paper = SuccessRatePrior::published();
        let untaught = SuccessRatePrior::fitted(&[]);
        assert!(
            untaught
                .points()
                .iter()
                .zip(paper.points())
                .all(|(one, other)| (one.weight - other.weight).abs() < 1e-12)
        );
        // Half of a thousand candidates never do it, the others in about 60 of 100 runs.
        let taught = SuccessRatePrior::fitted(&[(tally(0, 20), 500), (tally(12, 8), 500)]);
        let near =
            |low: f64, high: f64| taught.tail_probability(low) - taught.tail_probability(high);
        assert!(near(0.0, 0.01) > 0.45 && near(0.5, 0.7) > 0.4, "{taught:?}");
        assert!(taught.tail_probability(0.9) < 0.05);
        assert_ne!(taught.hash(), paper.hash());
    }

    #[test]
    fn a_table_that_makes_no_sense_is_refused_with_its_line() {
        assert_eq!(
            SuccessRatePrior::parse("p,probability\n0.5;1\n"),
            Err(PriorError::Line {
                line: 2,
                text: "0.5;1".into()
            })
        );
        for line in ["1.5,1", "x,1", "0.5,-1", "0.5,NaN", "0.5,inf"] {
            let parsed = SuccessRatePrior::parse(&format!("p,probability\n0,1\n{line}\n"));
            assert!(
                matches!(parsed, Err(PriorError::Range { line: 3, .. })),
                "{line}: {parsed:?}"
            );
        }
        assert_eq!(
            SuccessRatePrior::parse("p,probability\n0.5,0\n"),
            Err(PriorError::Empty)
        );
        assert_eq!(SuccessRatePrior::parse(""), Err(PriorError::Empty));
    }
}
