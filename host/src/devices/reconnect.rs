//! Phones of a run that are connected anew after they were lost: those on adb, and those that another process serves.
//! Simulated and JVM phones of this process do not get lost.

use std::collections::HashMap;
use std::sync::Arc;

use retap_device::{Device, PhoneSource};
use retap_shared::connection::{BoxFuture, Connection};
use retap_shared::error_text::with_causes;

use super::connections::{connect_on_adb, connect_paired};
use super::{ConnectionContext, DevicesError};
use crate::device_spec::{DeviceSpec, PhoneSelection};

/// The phones of a run that can be connected anew, by name.
pub(super) struct LostPhones {
    specs: HashMap<String, DeviceSpec>,
    context: ConnectionContext,
}

impl LostPhones {
    /// The phones of a selection that may be lost; none if none of them may.
    pub(super) fn of(
        selection: &PhoneSelection,
        context: &ConnectionContext,
    ) -> Result<Option<Arc<dyn PhoneSource>>, DevicesError> {
        let phones = selection.phones()?.into_iter();
        let specs: HashMap<String, DeviceSpec> = phones
            .filter(|phone| matches!(phone.spec, DeviceSpec::Adb(_) | DeviceSpec::Paired(_)))
            .map(|phone| (phone.name, phone.spec))
            .collect();
        let context = context.clone();
        let source = (!specs.is_empty()).then(|| Arc::new(LostPhones { specs, context }) as _);
        Ok(source)
    }

    async fn open(&self, name: &str) -> Result<Device, DevicesError> {
        let spec = self.specs.get(name).ok_or(DevicesError::NoneConnected)?;
        let connection: Arc<dyn Connection> = match spec {
            DeviceSpec::Adb(adb) => Box::pin(connect_on_adb(name, adb)).await?,
            DeviceSpec::Paired(paired) => Arc::new(connect_paired(spec, paired).await?),
            DeviceSpec::Simulated(_) | DeviceSpec::Jvm(_) => {
                return Err(DevicesError::NoneConnected);
            }
        };
        let notices = Arc::clone(&self.context.sink);
        self.context
            .device(name.to_owned(), connection, notices)
            .await
    }
}

impl PhoneSource for LostPhones {
    fn connect<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Device, String>> {
        Box::pin(async move { self.open(name).await.map_err(|error| with_causes(&error)) })
    }
}
