//! Simulated phones, from outside: what they do, what is in their apps, and that the same seed does it again.

mod anything;
mod chance;
mod drive;
mod forge;
mod pace;
mod phone;
mod probability;
mod random;
mod repeat;
mod shortest;
mod touch;
mod truth;
