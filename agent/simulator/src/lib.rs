//! Phones made of code, for speed and statistics: a UI kit, apps written against it, noise, and a virtual clock.
//! What they measure is not what a phone would: see `docs/simulator.md`.

mod apps;
mod forge;
mod kit;
mod noise;
mod phone;
mod plan;
mod spec;
mod truth;

pub use noise::{Latency, Noise, Snapshot};
pub use phone::SimulatedPhone;
pub use spec::{FORGE, SpecError, about, apps, open};
pub use truth::{LINGER, Matters, NotExact, PlantedCrash, Truth, probability, truth};
