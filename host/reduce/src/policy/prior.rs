//! The prior over the success rates of candidates, its posterior after nr attempts, and the probabilities p1 and p2 that
//! ND3MIN's tables print beside a result.

use xxhash_rust::xxh3::xxh3_64;

/// Prior that was fitted to the columns p1 and p2 of the published tables.
const PUBLISHED_PRIOR: &str = include_str!("../../data/nd3min-prior.csv");
/// Success rate from which a result counts as good.
pub const GOOD_SUCCESS_RATE: f64 = 0.85;
/// Probabilities have two digits; those that differ by less are equal.
const PROBABILITY_TOLERANCE: f64 = 1e-9;
/// Weight of the published prior in a fitted one, in candidates.
const PRIOR_STRENGTH: f64 = 40.0;
const EM_ITERATIONS: usize = 60;

/// A discrete distribution over success rates.
#[derive(Clone, Debug, PartialEq)]
pub struct SuccessRatePrior {
    points: Vec<PriorPoint>,
}

/// One point of a prior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PriorPoint {
    /// Success rate.
    pub p: f64,
    /// Probability of this rate.
    pub weight: f64,
}

/// Successes and failures of one candidate so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttemptTally {
    /// Attempts that reached the target.
    pub successes: u32,
    /// Attempts that did not.
    pub failures: u32,
}

/// A prior that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PriorError {
    /// A line that is not a point.
    #[error("line {line} is `{text}` instead of a probability, a comma and its weight")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// Text of the line.
        text: String,
    },
    /// A point outside the allowed range.
    #[error(
        "line {line} has probability `{p}` and weight `{weight}`; the probability must be from 0 to 1, the weight not below 0"
    )]
    Range {
        /// Number of the line, from 1.
        line: usize,
        /// Success rate as it is written.
        p: String,
        /// Weight as it is written.
        weight: String,
    },
    /// No point has a weight.
    #[error("the weights add up to 0")]
    Empty,
}

impl AttemptTally {
    /// Number of attempts.
    pub fn runs(&self) -> u32 {
        self.successes + self.failures
    }

    /// Share of successes; 0 without attempts.
    pub fn rate(&self) -> f64 {
        f64::from(self.successes) / f64::from(self.runs().max(1))
    }

    /// Counts all attempts of another tally.
    pub fn add(&mut self, other: AttemptTally) {
        self.successes += other.successes;
        self.failures += other.failures;
    }

    /// Counts one attempt.
    pub fn count(&mut self, reached: bool) {
        if reached {
            self.successes += 1;
        } else {
            self.failures += 1;
        }
    }
}

impl SuccessRatePrior {
    /// Prior behind the published tables.
    pub fn published() -> SuccessRatePrior {
        SuccessRatePrior::parse(PUBLISHED_PRIOR).expect("the built-in table is well formed")
    }

    /// Reads `p,probability` in the first line, then one point per line. Weights need not add up to 1.
    pub fn parse(text: &str) -> Result<SuccessRatePrior, PriorError> {
        let mut points = Vec::new();
        for (number, text) in text.lines().enumerate().skip(1) {
            if !text.trim().is_empty() {
                points.push(parse_point(number + 1, text.trim())?);
            }
        }
        SuccessRatePrior::normalized(points).ok_or(PriorError::Empty)
    }

    /// Text that `parse` reads.
    pub fn to_text(&self) -> String {
        let line = |point: &PriorPoint| format!("{},{}\n", point.p, point.weight);
        "p,probability\n".to_owned() + &self.points.iter().map(line).collect::<String>()
    }

    /// Published prior, fitted to tallies of candidates (with their frequencies) by expectation maximisation.
    pub fn fitted(observed: &[(AttemptTally, u64)]) -> SuccessRatePrior {
        let published = SuccessRatePrior::published();
        let mut prior = published.clone();
        for _ in 0..EM_ITERATIONS {
            let mut weights: Vec<f64> = published
                .points
                .iter()
                .map(|point| PRIOR_STRENGTH * point.weight)
                .collect();
            for (tally, frequency) in observed {
                let posterior = prior.posterior(*tally);
                for (weight, point) in weights.iter_mut().zip(&posterior.points) {
                    *weight += *frequency as f64 * point.weight;
                }
            }
            let fitted = published
                .points
                .iter()
                .zip(weights)
                .map(|(point, weight)| PriorPoint { weight, ..*point });
            prior = SuccessRatePrior::normalized(fitted.collect()).unwrap_or(prior);
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

    /// Points by their order in the table.
    pub fn points(&self) -> &[PriorPoint] {
        &self.points
    }

    /// Equal for equal distributions; stored policies are found by it.
    pub fn hash(&self) -> u64 {
        let numbers = self.points.iter().flat_map(|point| [point.p, point.weight]);
        xxh3_64(&numbers.flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
    }

    /// Probability of a tally in one particular order of its attempts.
    pub fn marginal_likelihood(&self, tally: AttemptTally) -> f64 {
        self.points
            .iter()
            .map(|point| point.weight * likelihood(point.p, tally))
            .sum()
    }

    /// Distribution after a tally.
    pub fn posterior(&self, tally: AttemptTally) -> SuccessRatePrior {
        let weighted = self.points.iter().map(|point| PriorPoint {
            p: point.p,
            weight: point.weight * likelihood(point.p, tally),
        });
        SuccessRatePrior::normalized(weighted.collect()).unwrap_or_else(|| self.clone())
    }

    /// Probability that the rate is at least `bound`.
    pub fn tail_probability(&self, bound: f64) -> f64 {
        self.points
            .iter()
            .filter(|point| point.p >= bound - PROBABILITY_TOLERANCE)
            .map(|point| point.weight)
            .sum()
    }

    /// p1: probability, after a check, that the result reaches the target in at least 85 of 100 attempts.
    pub fn p1(&self, check: AttemptTally) -> f64 {
        self.posterior(check).tail_probability(GOOD_SUCCESS_RATE)
    }

    /// p2 (Lemma 1): probability that none of `events` events can be left out, given that for each of them the candidate
    /// without it has failed `successes` of `runs`.
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

/// Probability of at least `successes` successes in `runs` attempts.
pub fn pass_probability(p: f64, runs: u32, successes: u32) -> f64 {
    (successes..=runs)
        .map(|count| binomial(runs, count) * power(p, count) * power(1.0 - p, runs - count))
        .sum()
}

/// Binomial coefficient.
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

    /// Percent, truncated as the paper prints them.
    fn percent(probability: f64) -> u32 {
        (probability * 100.0 + 1e-9) as u32
    }

    fn tally(successes: u32, failures: u32) -> AttemptTally {
        AttemptTally {
            successes,
            failures,
        }
    }

    #[test]
    fn p1_equals_the_published_column() {
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
            assert_eq!(percent(prior.p1(tally(c, 20 - c))), p1, "{c} of 20");
        }
    }

    #[test]
    fn p2_equals_the_published_column() {
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
            assert_eq!(percent(prior.p2(events, 20, 18)), p2, "{events} events");
        }
        assert!(
            (prior.p2(0, 20, 18) - 1.0).abs() < 1e-12,
            "the empty trace is minimal"
        );
    }

    /// The paper: a candidate that passes 18 of 20 is good with more than 95 %.
    #[test]
    fn a_candidate_that_passed_is_good_with_95_percent() {
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
    fn a_fitted_prior_follows_the_tallies_and_equals_the_published_one_without_any() {
        let published = SuccessRatePrior::published();
        let unfitted = SuccessRatePrior::fitted(&[]);
        assert!(
            unfitted
                .points()
                .iter()
                .zip(published.points())
                .all(|(one, other)| (one.weight - other.weight).abs() < 1e-12)
        );
        // Half of a thousand candidates never reach the target, the others in about 60 of 100 attempts.
        let fitted = SuccessRatePrior::fitted(&[(tally(0, 20), 500), (tally(12, 8), 500)]);
        let near =
            |low: f64, high: f64| fitted.tail_probability(low) - fitted.tail_probability(high);
        assert!(near(0.0, 0.01) > 0.45 && near(0.5, 0.7) > 0.4, "{fitted:?}");
        assert!(fitted.tail_probability(0.9) < 0.05);
        assert_ne!(fitted.hash(), published.hash());
    }

    #[test]
    fn an_invalid_table_is_rejected_with_its_line() {
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
