//! UiAutomation: the connection to the accessibility service, its windows and its cache, input, permissions and
//! screenshots.

use std::path::Path;

use jni::Env;
use jni::objects::{JObject, JValue};
use jni::refs::Global;

use super::automation_holders::possible_holders;
use super::java::{JavaBridge, JavaError, JavaResult};
use super::table::JavaName;

/// FLAG_DONT_SUPPRESS_ACCESSIBILITY_SERVICES: the user's screen reader stays on.
const KEEP_SERVICES: i32 = 1;
/// FLAG_INCLUDE_NOT_IMPORTANT_VIEWS, FLAG_REPORT_VIEW_IDS, FLAG_RETRIEVE_INTERACTIVE_WINDOWS.
const SERVICE_FLAGS: i32 = 0x02 | 0x10 | 0x40;

#[derive(Debug)]
pub(crate) struct Accessibility {
    automation: Global<JObject<'static>>,
}

impl Accessibility {
    /// Connects. `events` is the listener for changes of the screen.
    pub(crate) fn connect(
        java: &JavaBridge,
        env: &mut Env,
        context: &JObject,
        events: &JObject,
    ) -> JavaResult<Self> {
        // new UiAutomation(context, new UiAutomationConnection())
        let connection = java.make(env, JavaName::ConnectionNew, &[&[]])?;
        let looper = java
            .call_static(env, JavaName::MainLooper, &[])?
            .into_object()?;
        let forms: [&[JValue]; 2] = [
            &[context.into(), (&connection).into()],
            &[(&looper).into(), (&connection).into()],
        ];
        let automation = java.make(env, JavaName::AutomationNew, &forms)?;
        // automation.connect(FLAG_DONT_SUPPRESS_ACCESSIBILITY_SERVICES)
        let connected = java.call_any(
            env,
            JavaName::AutomationConnect,
            &automation,
            &[&[KEEP_SERVICES.into()], &[]],
        );
        connected.map_err(add_other_holders)?;
        let accessibility = Accessibility {
            automation: env.new_global_ref(automation)?,
        };
        accessibility.configure_service(java, env)?;
        // automation.setOnAccessibilityEventListener(events)
        java.call(
            env,
            JavaName::AutomationListen,
            &accessibility.automation,
            &[events.into()],
        )?;
        Ok(accessibility)
    }

    /// info = automation.getServiceInfo(); info.flags |= SERVICE_FLAGS; automation.setServiceInfo(info)
    fn configure_service(&self, java: &JavaBridge, env: &mut Env) -> JavaResult<()> {
        let info = java
            .call(env, JavaName::AutomationServiceInfo, &self.automation, &[])?
            .into_object()?;
        let flags = java.get(env, JavaName::ServiceFlags, &info)?.into_int()?;
        java.set(
            env,
            JavaName::ServiceFlags,
            &info,
            (flags | SERVICE_FLAGS).into(),
        )?;
        java.call(
            env,
            JavaName::AutomationSetServiceInfo,
            &self.automation,
            &[(&info).into()],
        )?;
        Ok(())
    }

    /// Lists of windows, one for each display.
    pub(crate) fn windows<'l>(
        &self,
        java: &JavaBridge,
        env: &mut Env<'l>,
    ) -> JavaResult<Vec<JObject<'l>>> {
        if !java.has(env, JavaName::AutomationAllWindows) {
            // automation.getWindows()
            return Ok(vec![
                java.call(env, JavaName::AutomationWindows, &self.automation, &[])?
                    .into_object()?,
            ]);
        }
        // automation.getWindowsOnAllDisplays()
        let displays = java
            .call(env, JavaName::AutomationAllWindows, &self.automation, &[])?
            .into_object()?;
        let count = java
            .call(env, JavaName::SparseSize, &displays, &[])?
            .into_int()?;
        (0..count)
            .map(|display| {
                Ok(java
                    .call(env, JavaName::SparseAt, &displays, &[display.into()])?
                    .into_object()?)
            })
            .collect()
    }

    /// Clears the framework's cache of nodes.
    pub(crate) fn clear_cache(&self, java: &JavaBridge, env: &mut Env) -> JavaResult<()> {
        if java.has(env, JavaName::AutomationClearCache) {
            // automation.clearCache()
            java.call(env, JavaName::AutomationClearCache, &self.automation, &[])?;
            return Ok(());
        }
        // Setting the same information again clears the cache on older phones.
        self.configure_service(java, env)
    }

    /// automation.setRotation(rotation)
    pub(crate) fn rotate(
        &self,
        java: &JavaBridge,
        env: &mut Env,
        rotation: i32,
    ) -> JavaResult<bool> {
        let rotated = java.call(
            env,
            JavaName::AutomationRotate,
            &self.automation,
            &[rotation.into()],
        )?;
        Ok(rotated.into_bool()?)
    }

    /// automation.injectInputEvent(event, true)
    pub(crate) fn inject(
        &self,
        java: &JavaBridge,
        env: &mut Env,
        event: &JObject,
    ) -> JavaResult<bool> {
        let arguments = [event.into(), JValue::Bool(true)];
        Ok(java
            .call(
                env,
                JavaName::AutomationInject,
                &self.automation,
                &arguments,
            )?
            .into_bool()?)
    }

    /// automation.grantRuntimePermissionAsUser(package, permission, new UserHandle(user))
    pub(crate) fn grant(
        &self,
        java: &JavaBridge,
        env: &mut Env,
        package: &JObject,
        permission: &JObject,
        user: i32,
    ) -> JavaResult<()> {
        let user = java.make(env, JavaName::UserNew, &[&[user.into()]])?;
        let arguments = [package.into(), permission.into(), (&user).into()];
        let name = if java.has(env, JavaName::AutomationGrantAsUser) {
            JavaName::AutomationGrantAsUser
        } else {
            JavaName::AutomationGrant
        };
        java.call(env, name, &self.automation, &arguments)?;
        Ok(())
    }

    /// automation.takeScreenshot(): null if the display may not be captured
    pub(crate) fn screenshot<'l>(
        &self,
        java: &JavaBridge,
        env: &mut Env<'l>,
    ) -> JavaResult<JObject<'l>> {
        Ok(java
            .call(env, JavaName::AutomationScreenshot, &self.automation, &[])?
            .into_object()?)
    }

    /// automation.disconnect()
    pub(crate) fn disconnect(&self, java: &JavaBridge, env: &mut Env) -> JavaResult<()> {
        java.call(env, JavaName::AutomationDisconnect, &self.automation, &[])?;
        Ok(())
    }
}

/// Adds the processes that may hold the connection: the system allows one and does not name its holder.
fn add_other_holders(error: JavaError) -> JavaError {
    match error {
        JavaError::Thrown {
            call,
            class,
            message,
        } if message.contains("already registered") => {
            let holders = possible_holders(Path::new("/proc"));
            let holder = match holders.as_slice() {
                [] => "look for it with `adb shell ps -A -o PID,ARGS`".to_owned(),
                holders => format!("it is {}", holders.join(" or ")),
            };
            let message = format!(
                "{message}. Another tool holds the phone's UiAutomation; {holder}; end it and try again"
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
