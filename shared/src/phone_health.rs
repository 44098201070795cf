//! Battery and temperature of a phone, as far as it tells.

/// Battery and temperature of a phone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhoneHealth {
    /// Temperature of the battery in degrees Celsius.
    pub temperature: Option<f32>,
    /// Charge of the battery in percent.
    pub battery: Option<u8>,
}
