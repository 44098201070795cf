//! Phones made of code, for speed and statistics: a UI kit, apps written against it, noise, and a virtual clock.
//! What they measure is not what a phone would: see `docs/how-it-works/simulator.md`.

mod apps;
mod declarative;
mod forge;
mod framework;
mod ground_truth;
mod noise;
mod phone;
mod spec;

pub use ground_truth::{
    CRASH_DELAY_LIMIT, CrashDependencies, ExactProbabilityError, GroundTruth, PlantedCrash,
    exact_probability, ground_truth,
};
pub use noise::{Latency, Noise, SnapshotCost};
pub use phone::SimulatedPhone;
pub use spec::{FORGE, SimulatorSpecError, about, app_names, open};
