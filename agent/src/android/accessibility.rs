//! UiAutomation: the connection to the accessibility service, its windows, its cache, and what it can do for input.

use std::path::Path;

use jni::Env;
use jni::objects::{JObject, JValue};
use jni::refs::Global;

use super::java::{Java, JavaError, Result};
use super::others::who_may_hold;
use super::table::Name;

/// FLAG_DONT_SUPPRESS_ACCESSIBILITY_SERVICES: the user's screen reader goes on.
const KEEP_SERVICES: i32 = 1;
/// FLAG_INCLUDE_NOT_IMPORTANT_VIEWS, FLAG_REPORT_VIEW_IDS, FLAG_RETRIEVE_INTERACTIVE_WINDOWS.
const WANTED: i32 = 0x02 | 0x10 | 0x40;

#[derive(Debug)]
pub(crate) struct Accessibility {
    automation: Global<JObject<'static>>,
}

impl Accessibility {
    /// `events` hears of everything that changes on the screen.
    pub(crate) fn connect(
        java: &Java,
        env: &mut Env,
        context: &JObject,
        events: &JObject,
    ) -> Result<Self> {
        // new UiAutomation(context, new UiAutomationConnection())
        let connection = java.make(env, Name::ConnectionNew, &[&[]])?;
        let looper = java
            .call_static(env, Name::MainLooper, &[])?
            .into_object()?;
        let forms: [&[JValue]; 2] = [
            &[context.into(), (&connection).into()],
            &[(&looper).into(), (&connection).into()],
        ];
        let automation = java.make(env, Name::AutomationNew, &forms)?;
        // automation.connect(FLAG_DONT_SUPPRESS_ACCESSIBILITY_SERVICES)
        let connected = java.call_any(
            env,
            Name::AutomationConnect,
            &automation,
            &[&[KEEP_SERVICES.into()], &[]],
        );
        connected.map_err(say_who_else)?;
        let accessibility = Accessibility {
            automation: env.new_global_ref(automation)?,
        };
        accessibility.ask_for_everything(java, env)?;
        // automation.setOnAccessibilityEventListener(events)
        java.call(
            env,
            Name::AutomationListen,
            &accessibility.automation,
            &[events.into()],
        )?;
        Ok(accessibility)
    }

    /// info = automation.getServiceInfo(); info.flags |= WANTED; automation.setServiceInfo(info)
    fn ask_for_everything(&self, java: &Java, env: &mut Env) -> Result<()> {
        let info = java
            .call(env, Name::AutomationServiceInfo, &self.automation, &[])?
            .into_object()?;
        let flags = java.get(env, Name::ServiceFlags, &info)?.into_int()?;
        java.set(env, Name::ServiceFlags, &info, (flags | WANTED).into())?;
        java.call(
            env,
            Name::AutomationSetServiceInfo,
            &self.automation,
            &[(&info).into()],
        )?;
        Ok(())
    }

    /// Lists of windows: one for each display, or the only one.
    pub(crate) fn windows<'l>(&self, java: &Java, env: &mut Env<'l>) -> Result<Vec<JObject<'l>>> {
        if !java.has(env, Name::AutomationAllWindows) {
            // automation.getWindows()
            return Ok(vec![
                java.call(env, Name::AutomationWindows, &self.automation, &[])?
                    .into_object()?,
            ]);
        }
        // automation.getWindowsOnAllDisplays()
        let displays = java
            .call(env, Name::AutomationAllWindows, &self.automation, &[])?
            .into_object()?;
        let count = java
            .call(env, Name::SparseSize, &displays, &[])?
            .into_int()?;
        (0..count)
            .map(|display| {
                Ok(java
                    .call(env, Name::SparseAt, &displays, &[display.into()])?
                    .into_object()?)
            })
            .collect()
    }

    /// Forgets nodes that were read before something changed.
    pub(crate) fn forget(&self, java: &Java, env: &mut Env) -> Result<()> {
        if java.has(env, Name::AutomationClearCache) {
            // automation.clearCache()
            java.call(env, Name::AutomationClearCache, &self.automation, &[])?;
            return Ok(());
        }
        // Setting the same information again empties the cache on older phones.
        self.ask_for_everything(java, env)
    }

    /// automation.setRotation(rotation)
    pub(crate) fn rotate(&self, java: &Java, env: &mut Env, rotation: i32) -> Result<bool> {
        let turned = java.call(
            env,
            Name::AutomationRotate,
            &self.automation,
            &[rotation.into()],
        )?;
        Ok(turned.into_bool()?)
    }

    /// automation.injectInputEvent(event, true)
    pub(crate) fn inject(&self, java: &Java, env: &mut Env, event: &JObject) -> Result<bool> {
        let arguments = [event.into(), JValue::Bool(true)];
        Ok(java
            .call(env, Name::AutomationInject, &self.automation, &arguments)?
            .into_bool()?)
    }

    /// automation.grantRuntimePermissionAsUser(package, permission, new UserHandle(user))
    pub(crate) fn grant(
        &self,
        java: &Java,
        env: &mut Env,
        package: &JObject,
        permission: &JObject,
        user: i32,
    ) -> Result<()> {
        let user = java.make(env, Name::UserNew, &[&[user.into()]])?;
        let arguments = [package.into(), permission.into(), (&user).into()];
        let name = if java.has(env, Name::AutomationGrantAsUser) {
            Name::AutomationGrantAsUser
        } else {
            Name::AutomationGrant
        };
        java.call(env, name, &self.automation, &arguments)?;
        Ok(())
    }

    /// automation.takeScreenshot(): null where nothing may be seen
    pub(crate) fn screenshot<'l>(&self, java: &Java, env: &mut Env<'l>) -> Result<JObject<'l>> {
        Ok(java
            .call(env, Name::AutomationScreenshot, &self.automation, &[])?
            .into_object()?)
    }

    /// automation.disconnect()
    pub(crate) fn disconnect(&self, java: &Java, env: &mut Env) -> Result<()> {
        java.call(env, Name::AutomationDisconnect, &self.automation, &[])?;
        Ok(())
    }
}

/// The system allows one such connection and does not say who has it.
fn say_who_else(error: JavaError) -> JavaError {
    match error {
        JavaError::Thrown {
            call,
            class,
            message,
        } if message.contains("already registered") => {
            let others = who_may_hold(Path::new("/proc"));
            let who = match others.as_slice() {
                [] => "look for it with `adb shell ps -A -o PID,ARGS`".to_owned(),
                others => format!("it is {}", others.join(" or ")),
            };
            let message = format!(
                "{message}. Another tool holds the phone's UiAutomation; {who}; end it and try again"
            );
            JavaError::Thrown {
                call,
                class,
                message,
            }
        }
        other => other,
    }
}
