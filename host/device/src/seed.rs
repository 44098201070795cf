//! The seed of a run: every random choice comes from a generator that is derived from it by purpose and number.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The random number generator of all random choices.
pub type Rng = Pcg64Mcg;

/// One number from which random choices derive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// Derives the seed of a part of the run: the same for the same purpose and number, unrelated to all others.
    pub fn derive(self, purpose: &str, number: u64) -> Seed {
        let named = xxh3_64_with_seed(purpose.as_bytes(), self.0);
        Seed(xxh3_64_with_seed(&number.to_le_bytes(), named))
    }

    /// A new generator with this seed.
    pub fn rng(self) -> Rng {
        Rng::seed_from_u64(self.0)
    }
}
