//! Battery and temperature of a phone, as far as it tells.

use serde::{Deserialize, Serialize};

/// Battery and temperature of a phone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PhoneHealth {
    /// Temperature of the battery in degrees Celsius.
    pub temperature: Option<f32>,
    /// Charge of the battery in percent.
    pub battery: Option<u8>,
}
