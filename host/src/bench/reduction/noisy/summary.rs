//! Measurements by cell and algorithm: counts of claims with exact intervals, and costs as ratios to ND3MIN's.

use serde_json::{Value, json};

use super::algorithm::NoisyAlgorithm;
use super::claim::ClaimVerdict;
use super::family::NoisyCell;
use super::interval::ShareInterval;
use super::measurement::NoisyMeasurement;
use crate::bench::statistics::percentile;

/// Algorithm that all costs are compared with.
const REFERENCE: NoisyAlgorithm = NoisyAlgorithm::Nd3minHeuristic;

/// All measurements so far, by cell and algorithm.
#[derive(Debug, Default)]
pub struct NoisySummary {
    rows: Vec<SummaryRow>,
}

/// Measurements of one algorithm in one cell, or in all.
#[derive(Clone, Debug, Default)]
struct SummaryRow {
    /// `None` for all cells together.
    cell: Option<NoisyCell>,
    algorithm: Option<NoisyAlgorithm>,
    jobs: u64,
    proven: u64,
    false_claims: u64,
    /// Jobs with an interval, and those whose interval does not have the true rate.
    with_interval: u64,
    missed_rates: u64,
    unproven: u64,
    refused: u64,
    /// Jobs in which a part of the trace is as good as asked.
    with_good_cut: u64,
    wrongly_refused: u64,
    wrongly_unproven: u64,
    right: u64,
    /// Sizes of proven results, and of the planted ones of the same jobs.
    sizes: Vec<f64>,
    planted_sizes: Vec<f64>,
    steps: u64,
    runs: u64,
    events: u64,
    seconds: f64,
}

impl NoisySummary {
    pub fn add(&mut self, measurement: &NoisyMeasurement) {
        let cell = Some(measurement.case.cell);
        let algorithm = Some(measurement.algorithm);
        let known = self
            .rows
            .iter()
            .rposition(|row| row.cell == cell && row.algorithm == algorithm);
        let row = known.unwrap_or_else(|| {
            self.rows.push(SummaryRow {
                cell,
                algorithm,
                ..SummaryRow::default()
            });
            self.rows.len() - 1
        });
        self.rows[row].add(measurement);
    }

    /// Head of the table.
    pub fn header() -> String {
        format!(
            "{:<44}{:<19}{:>5}{:>7}  {:<19}{:>8}{:>8}  {:<19}{:>9}{:>9}{:>10}{:>7}{:>7}",
            "cell",
            "algorithm",
            "jobs",
            "proven",
            "false (95 %)",
            "unproven",
            "refused",
            "wrongly (95 %)",
            "size",
            "runs",
            "seconds",
            "runs/n",
            "time/n",
        )
    }

    /// Lines of one cell.
    pub fn cell_lines(&self, cell: NoisyCell) -> Vec<String> {
        let rows = self.rows.iter().filter(|row| row.cell == Some(cell));
        rows.map(|row| row.to_words(self.reference(row))).collect()
    }

    /// Lines of all cells together, by algorithm.
    pub fn total_lines(&self) -> Vec<String> {
        let totals = self.totals();
        let reference = totals.iter().find(|row| row.algorithm == Some(REFERENCE));
        totals.iter().map(|row| row.to_words(reference)).collect()
    }

    /// One object for each cell and algorithm, then for each algorithm in all cells.
    pub fn to_json(&self) -> Vec<String> {
        let totals = self.totals();
        let reference = totals.iter().find(|row| row.algorithm == Some(REFERENCE));
        let rows = self.rows.iter().map(|row| row.to_json(self.reference(row)));
        let totals = totals.iter().map(|row| row.to_json(reference));
        rows.chain(totals).map(|row| row.to_string()).collect()
    }

    fn reference(&self, of: &SummaryRow) -> Option<&SummaryRow> {
        self.rows
            .iter()
            .find(|row| row.cell == of.cell && row.algorithm == Some(REFERENCE))
    }

    fn totals(&self) -> Vec<SummaryRow> {
        let mut totals: Vec<SummaryRow> = Vec::new();
        for row in &self.rows {
            match totals
                .iter_mut()
                .find(|total| total.algorithm == row.algorithm)
            {
                Some(total) => total.absorb(row),
                None => totals.push(SummaryRow {
                    cell: None,
                    ..row.clone()
                }),
            }
        }
        totals
    }
}

impl SummaryRow {
    fn add(&mut self, measurement: &NoisyMeasurement) {
        self.jobs += 1;
        self.false_claims += u64::from(measurement.is_false_claim());
        self.with_interval += u64::from(measurement.claim.interval.is_some());
        self.missed_rates += u64::from(measurement.misses_rate());
        self.right += u64::from(measurement.is_right());
        let has_good_cut = u64::from(measurement.has_good_cut());
        self.with_good_cut += has_good_cut;
        match measurement.claim.verdict {
            ClaimVerdict::Proven => {
                self.proven += 1;
                self.sizes.push(measurement.kept.len() as f64);
                self.planted_sizes.push(measurement.planted_size as f64);
            }
            ClaimVerdict::Unproven => {
                self.unproven += 1;
                self.wrongly_unproven += has_good_cut;
            }
            ClaimVerdict::Refused => {
                self.refused += 1;
                self.wrongly_refused += has_good_cut;
            }
        }
        self.steps += measurement.steps;
        self.runs += measurement.runs;
        self.events += measurement.events;
        self.seconds += measurement.seconds;
    }

    fn absorb(&mut self, other: &SummaryRow) {
        self.jobs += other.jobs;
        self.proven += other.proven;
        self.false_claims += other.false_claims;
        self.with_interval += other.with_interval;
        self.missed_rates += other.missed_rates;
        self.unproven += other.unproven;
        self.refused += other.refused;
        self.with_good_cut += other.with_good_cut;
        self.wrongly_refused += other.wrongly_refused;
        self.wrongly_unproven += other.wrongly_unproven;
        self.right += other.right;
        self.sizes.extend(&other.sizes);
        self.planted_sizes.extend(&other.planted_sizes);
        self.steps += other.steps;
        self.runs += other.runs;
        self.events += other.events;
        self.seconds += other.seconds;
    }

    fn name(&self) -> String {
        self.cell.map_or("all cells".into(), |cell| {
            format!("{}: {cell}", cell.family)
        })
    }

    fn algorithm_name(&self) -> String {
        self.algorithm
            .map(|algorithm| algorithm.to_string())
            .unwrap_or_default()
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / self.jobs.max(1) as f64
    }

    fn to_words(&self, reference: Option<&SummaryRow>) -> String {
        let interval = |count: u64, of: u64| {
            let ShareInterval { low, high } = ShareInterval::exact(count, of);
            match of {
                0 => "-".to_owned(),
                _ => format!("{count}/{of} ({:.0}–{:.1} %)", 100.0 * low, 100.0 * high),
            }
        };
        let ratio =
            |ratio: Option<f64>| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        let (runs_ratio, time_ratio) = self.ratios(reference);
        let size = match self.proven {
            0 => "-".to_owned(),
            _ => {
                let [kept, planted] = self.median_sizes();
                format!("{kept}/{planted}")
            }
        };
        format!(
            "{:<44}{:<19}{:>5}{:>7}  {:<19}{:>8}{:>8}  {:<19}{:>9}{:>9.0}{:>10.0}{:>7}{:>7}",
            self.name(),
            self.algorithm_name(),
            self.jobs,
            self.proven,
            interval(self.false_claims, self.jobs),
            self.unproven,
            self.refused,
            interval(self.wrongly_refused, self.with_good_cut),
            size,
            self.mean(self.runs as f64),
            self.mean(self.seconds),
            ratio(runs_ratio),
            ratio(time_ratio),
        )
    }

    fn to_json(&self, reference: Option<&SummaryRow>) -> Value {
        let interval = |count: u64, of: u64| {
            let ShareInterval { low, high } = ShareInterval::exact(count, of);
            json!([low, high])
        };
        let (runs_ratio, time_ratio) = self.ratios(reference);
        let [size, planted_size] = self.median_sizes();
        json!({
            "bench": "noisy-summary", "family": self.cell.map(|cell| cell.family.to_string()),
            "cell": self.cell.map(|cell| cell.to_string()),
            "needed_kind": self.cell.map(|cell| cell.needed_events.to_string()),
            "algorithm": self.algorithm_name(), "jobs": self.jobs, "proven": self.proven, "unproven": self.unproven,
            "refused": self.refused, "false_claims": self.false_claims,
            "false_interval": interval(self.false_claims, self.jobs), "with_interval": self.with_interval,
            "missed_rates": self.missed_rates, "with_good_cut": self.with_good_cut,
            "wrongly_refused": self.wrongly_refused,
            "refusal_interval": interval(self.wrongly_refused, self.with_good_cut),
            "wrongly_unproven": self.wrongly_unproven, "right": self.right, "size": size, "planted_size": planted_size,
            "mean_steps": self.mean(self.steps as f64), "mean_runs": self.mean(self.runs as f64),
            "mean_events": self.mean(self.events as f64), "mean_seconds": self.mean(self.seconds),
            "runs_ratio": runs_ratio, "time_ratio": time_ratio,
        })
    }

    /// Runs and time as ratios of means.
    fn ratios(&self, reference: Option<&SummaryRow>) -> (Option<f64>, Option<f64>) {
        let ratio = |of: fn(&SummaryRow) -> f64| {
            reference.map(|reference| self.mean(of(self)) / reference.mean(of(reference)))
        };
        (ratio(|row| row.runs as f64), ratio(|row| row.seconds))
    }

    /// Median sizes of proven results, and of the planted ones.
    fn median_sizes(&self) -> [f64; 2] {
        [&self.sizes, &self.planted_sizes].map(|sizes| percentile(&mut sizes.clone(), 50))
    }
}
