//! What must not happen to a phone on adb, which may be somebody's own, unless it is allowed: no command can forget it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use retap_shared::action::{Action, System};
use retap_shared::connection::{Connection, Pending, RequestError};
use retap_shared::protocol::{Fault, Happening, Reply, Request};

/// `PhoneInfo::kind` of phones that somebody may use: what stands in for one is nobody's own.
pub const PERSONAL: &str = "android";

pub struct Careful {
    phone: Arc<dyn Connection>,
    /// By the user, or because the phone has said that it is none.
    system: AtomicBool,
}

impl Careful {
    pub fn new(phone: Arc<dyn Connection>, system: bool) -> Careful {
        Careful { phone, system: AtomicBool::new(system) }
    }
}

impl Connection for Careful {
    fn request(&self, request: Request) -> Pending<'_, Result<Reply, RequestError>> {
        if let Some(system) = system_event(&request)
            && !self.system.load(Ordering::Relaxed)
        {
            let what = format!("do what the system does, unless `--allow system` says so: {system}");
            return Box::pin(async { Err(Fault::Unsupported(what).into()) });
        }
        Box::pin(async move {
            let reply = self.phone.request(request).await?;
            if let Reply::Described(described) = &reply {
                self.system.fetch_or(described.phone.kind != PERSONAL, Ordering::Relaxed);
            }
            Ok(reply)
        })
    }

    fn news(&self) -> Pending<'_, Option<Happening>> {
        self.phone.news()
    }
}

impl fmt::Debug for Careful {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Careful").field("system", &self.system).finish_non_exhaustive()
    }
}

fn system_event(request: &Request) -> Option<&System> {
    let steps = match request {
        Request::Act(act) => std::slice::from_ref(&act.step),
        Request::Play(play) => &play.steps[..],
        _ => return None,
    };
    steps.iter().find_map(|step| match &step.action {
        Action::System(system) => Some(system),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use retap_agent::in_process::InProcess;
    use retap_engine::device::{Device, DeviceError};
    use retap_shared::trace::Step;

    use super::*;

    /// A simulated phone that calls itself as it is told.
    struct Called(InProcess, &'static str);

    impl Connection for Called {
        fn request(&self, request: Request) -> Pending<'_, Result<Reply, RequestError>> {
            Box::pin(async move {
                let mut reply = self.0.request(request).await?;
                if let Reply::Described(described) = &mut reply {
                    described.phone.kind = self.1.into();
                }
                Ok(reply)
            })
        }

        fn news(&self) -> Pending<'_, Option<Happening>> {
            self.0.news()
        }
    }

    async fn goes_offline(kind: &'static str, allowed: bool) -> Result<(), DeviceError> {
        let phone = InProcess::new(Box::new(retap_simulator::open("sim:notes").unwrap()));
        let careful = Careful::new(Arc::new(Called(phone, kind)), allowed);
        let mut device = Device::connect("phone".to_owned(), Arc::new(careful)).await.unwrap();
        device.step(Step::new(Action::Launch)).await.unwrap();
        device.step(Step::new(Action::System(System::Offline))).await.map(drop)
    }

    #[tokio::test(start_paused = true)]
    async fn system_events_need_leave_on_phones_that_may_be_somebodys_own() {
        let refused = goes_offline(PERSONAL, false).await.unwrap_err();
        assert!(refused.to_string().contains("--allow system"), "{refused}");
        goes_offline(PERSONAL, true).await.unwrap();
        goes_offline("jvm", false).await.unwrap();
        goes_offline("simulated", false).await.unwrap();
    }
}
