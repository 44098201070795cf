//! Attempts in a row that came to nothing because of the phone: when the app is started clean, and when the phone is
//! quarantined.

use retap_device::DeviceError;
use retap_shared::protocol::RequestFailure;
use retap_shared::verdict::Interruption;

/// Number of events in a row that the phone did not take, after which a worker starts clean.
const MAX_REFUSALS: u32 = 10;

/// Number of clean starts and failed requests without a step between them, after which the phone is quarantined.
const MAX_STALLS: u32 = 5;

/// Attempts of one phone since its last step.
#[derive(Debug, Default)]
pub(super) struct PhoneStalls {
    refusals: u32,
    stalls: u32,
}

impl PhoneStalls {
    /// The phone took a step: it works.
    pub(super) fn record_progress(&mut self) {
        *self = PhoneStalls::default();
    }

    /// Counts an event that the phone did not take. Returns true if a clean start comes next.
    pub(super) fn record_refusal(&mut self, why: &str) -> Result<bool, DeviceError> {
        self.refusals += 1;
        if self.refusals < MAX_REFUSALS {
            return Ok(false);
        }
        self.refusals = 0;
        let why = format!("it took none of {MAX_REFUSALS} events in a row ({why})");
        self.record_failure(DeviceError::Refused(RequestFailure::Phone(why)))
            .map(|_| true)
    }

    /// Counts an error of the phone, after which a clean start comes next, and returns its text. Any other error, and the
    /// last one of too many, is returned.
    pub(super) fn record_failure(&mut self, error: DeviceError) -> Result<String, DeviceError> {
        let DeviceError::Refused(failure) = &error else {
            return Err(error);
        };
        let Some(why) = failure.phone_failure() else {
            return Err(error);
        };
        self.stalls += 1;
        if self.stalls < MAX_STALLS {
            return Ok(why);
        }
        let why = format!("{why}; {MAX_STALLS} attempts without a step between them");
        Err(Interruption::PhoneLost { why }.into())
    }
}
