//! What connected phones share with the command that uses them: its cancellation, its events, and its retracer.

use std::fmt;
use std::sync::Arc;

use retap_device::run_event::{EventSink, null_sink};
use retap_device::{CancellationToken, Device};
use retap_shared::connection::Connection;

use super::without_branches::WithoutBranches;
use super::{DevicesError, FindingRetracer, RetracedPhone};
use crate::options::CodeCoverage;

/// Cancellation, events and retracer of the command that connects phones.
#[derive(Clone)]
pub struct ConnectionContext {
    /// Ends everything that is under way to connect a phone: builds, starts and handshakes.
    pub cancellation: CancellationToken,
    /// Receives the notices about phones.
    pub sink: EventSink,
    /// Findings of the phones pass it, if there is one.
    pub retracer: Option<Arc<FindingRetracer>>,
    /// What the phones note of an app's code.
    pub coverage: CodeCoverage,
}

impl ConnectionContext {
    /// The device over a connection. `notices` learns when the phone is silent.
    pub(super) async fn device(
        &self,
        name: String,
        connection: Arc<dyn Connection>,
        notices: EventSink,
    ) -> Result<Device, DevicesError> {
        let connection: Arc<dyn Connection> = match self.coverage {
            CodeCoverage::Activities => Arc::new(WithoutBranches(connection)),
            CodeCoverage::Branches | CodeCoverage::Methods | CodeCoverage::Lines => connection,
        };
        let connection: Arc<dyn Connection> = match &self.retracer {
            Some(retracer) => Arc::new(RetracedPhone::new(connection, Arc::clone(retracer))),
            None => connection,
        };
        let device = Device::connect_with_notices(name.clone(), connection, notices).await;
        device.map_err(|source| DevicesError::Connect { name, source })
    }
}

/// Never cancelled, and without events.
impl Default for ConnectionContext {
    fn default() -> ConnectionContext {
        ConnectionContext {
            cancellation: CancellationToken::new(),
            sink: null_sink(),
            retracer: None,
            coverage: CodeCoverage::default(),
        }
    }
}

impl fmt::Debug for ConnectionContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionContext").finish_non_exhaustive()
    }
}
