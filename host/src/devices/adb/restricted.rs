//! Restrictions for phones on adb, which may be somebody's own. They hold for every command unless the user permits more.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use retap_shared::action::Action;
use retap_shared::connection::{BoxFuture, Connection, FreshStartError, RequestError};
use retap_shared::phone_event::PhoneEvent;
use retap_shared::phone_health::PhoneHealth;
use retap_shared::protocol::{Reply, Request, RequestFailure};

/// `PhoneInfo::kind` of phones that may be somebody's own. Stand-ins for phones have other kinds.
pub const PERSONAL_PHONE_KIND: &str = "android";

/// Call, end a call, power, sleep, wake up, and the settings: no explorer presses them, but a recorded trace may.
const RESTRICTED_KEYS: [u16; 6] = [5, 6, 26, 176, 223, 224];

pub struct RestrictedPhone {
    phone: Arc<dyn Connection>,
    /// True if the user permits it, or if the phone is a stand-in.
    system_allowed: AtomicBool,
}

impl RestrictedPhone {
    pub fn new(phone: Arc<dyn Connection>, system: bool) -> RestrictedPhone {
        RestrictedPhone {
            phone,
            system_allowed: AtomicBool::new(system),
        }
    }
}

impl Connection for RestrictedPhone {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        if let Some(dangerous) = restricted_action(&request)
            && !self.system_allowed.load(Ordering::Relaxed)
        {
            let what =
                format!("do what the system does, unless `--allow system` says so: {dangerous}");
            return Box::pin(async { Err(RequestFailure::Unsupported(what).into()) });
        }
        Box::pin(async move {
            let reply = self.phone.request(request).await?;
            if let Reply::DescribePhoneReply(described) = &reply {
                self.system_allowed.fetch_or(
                    described.phone.kind != PERSONAL_PHONE_KIND,
                    Ordering::Relaxed,
                );
            }
            Ok(reply)
        })
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        self.phone.next_notification()
    }

    fn start_fresh(&self) -> BoxFuture<'_, Result<(), FreshStartError>> {
        self.phone.start_fresh()
    }

    fn health(&self) -> BoxFuture<'_, Option<PhoneHealth>> {
        self.phone.health()
    }
}

impl fmt::Debug for RestrictedPhone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Careful")
            .field("system", &self.system_allowed)
            .finish_non_exhaustive()
    }
}

/// System events, and keys that do more than an app could.
fn restricted_action(request: &Request) -> Option<&Action> {
    let steps = match request {
        Request::Act(act) => std::slice::from_ref(&act.step),
        Request::Play(play) => &play.steps[..],
        _ => return None,
    };
    steps
        .iter()
        .map(|step| &step.action)
        .find(|action| match action {
            Action::System(_) => true,
            Action::Key(key) => RESTRICTED_KEYS.contains(&key.code()),
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use retap_agent::in_process::InProcessConnection;
    use retap_device::{Device, DeviceError};
    use retap_shared::action::{Key, SystemEvent};
    use retap_shared::trace::Step;

    use super::*;

    /// A simulated phone with a given kind.
    struct PhoneOfKind(InProcessConnection, &'static str);

    impl Connection for PhoneOfKind {
        fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
            Box::pin(async move {
                let mut reply = self.0.request(request).await?;
                if let Reply::DescribePhoneReply(described) = &mut reply {
                    described.phone.kind = self.1.into();
                }
                Ok(reply)
            })
        }

        fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
            self.0.next_notification()
        }
    }

    async fn does(kind: &'static str, allowed: bool, action: Action) -> Result<(), DeviceError> {
        let phone = InProcessConnection::new(Box::new(retap_simulator::open("sim:notes").unwrap()));
        let careful = RestrictedPhone::new(Arc::new(PhoneOfKind(phone, kind)), allowed);
        let mut device = Device::connect("phone".to_owned(), Arc::new(careful))
            .await
            .unwrap();
        device.step(Step::new(Action::Launch)).await.unwrap();
        device.step(Step::new(action)).await.map(drop)
    }

    #[tokio::test(start_paused = true)]
    async fn system_events_and_keys_that_call_or_switch_off_need_leave_on_phones_that_may_be_somebodys_own()
     {
        let power = Action::Key(Key::Code(26));
        for action in [
            Action::System(SystemEvent::Offline),
            power,
            Action::Key(Key::Code(5)),
        ] {
            let refused = does(PERSONAL_PHONE_KIND, false, action.clone())
                .await
                .unwrap_err();
            assert!(refused.to_string().contains("--allow system"), "{refused}");
            for (kind, allowed) in [
                (PERSONAL_PHONE_KIND, true),
                ("jvm", false),
                ("simulated", false),
            ] {
                does(kind, allowed, action.clone()).await.unwrap();
            }
        }
        does(PERSONAL_PHONE_KIND, false, Action::Key(Key::Back))
            .await
            .unwrap();
    }
}
