//! Simulated phones, for speed and statistics: a UI framework, apps written against it, noise, and a virtual clock.
//! Their figures are not those of a phone: see `docs/how-it-works/simulator.md`.

mod apps;
mod declarative;
mod forge;
mod framework;
mod ground_truth;
mod noise;
mod phone;
mod planted_crash;
mod spec;
mod trouble;

pub use ground_truth::{
    CRASH_DELAY_LIMIT, CrashDependencies, ExactProbabilityError, GroundTruth, PlantedCrash,
    exact_probability, ground_truth,
};
pub use noise::{Latency, Noise, SnapshotCost};
pub use phone::SimulatedPhone;
pub use spec::{
    FORGE, SimulatorSpecError, about, app_names, open, temperatures_of, uncounted_app_names,
};
pub use trouble::{ReportedFindings, TroubledPhone};
