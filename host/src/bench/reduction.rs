//! Benchmarks of reductions: noisy and deterministic targets, recorded crashes, and the reducer's own cost.

pub mod deterministic_grid;
pub mod noisy;
pub mod noisy_app;
pub mod own_cost;
pub mod recorded_crash;
