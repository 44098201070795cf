//! PowerManager, KeyguardManager and IWindowManager: a display that is on, and a lock screen that is gone.

use jni::Env;
use jni::objects::{JObject, JValue};
use retap_shared::action::Key;
use retap_shared::obstacle::Obstacle;

use super::clock;
use super::input::InputInjector;
use super::java::{JavaBridge, JavaError, JavaResult};
use super::table::JavaName;

/// KeyEvent.KEYCODE_WAKEUP: switches the display on and never off.
const WAKE_UP: Key = Key::Code(224);
/// Waits for the display and for the lock screen, which is animated away.
const WAITS: u32 = 30;
const WAIT_MILLIS: i64 = 100;

/// Switches the display on and dismisses the lock screen. Returns true if anything was to be done; the inner error is what
/// could not be. A service that this phone does not give is not waited for.
pub(crate) fn wake(input: InputInjector, env: &mut Env) -> JavaResult<Result<bool, Obstacle>> {
    let (java, context) = (input.java, input.context);
    let was_off = !is_interactive(java, env, context);
    if was_off {
        input.key(env, WAKE_UP)?;
        if !wait_until(java, env, |env| is_interactive(java, env, context))? {
            return Ok(Err(Obstacle::DisplayOff));
        }
    }
    let was_locked = is_locked(java, env, context);
    if was_locked {
        if let Err(error) = dismiss(java, env) {
            tracing::warn!(%error, "could not dismiss the lock screen");
        }
        if !wait_until(java, env, |env| !is_locked(java, env, context))? {
            return Ok(Err(Obstacle::LockScreen));
        }
    }
    Ok(Ok(was_off || was_locked))
}

/// ((PowerManager) context.getSystemService("power")).isInteractive()
fn is_interactive(java: &JavaBridge, env: &mut Env, context: &JObject) -> bool {
    ask(java, env, context, "power", JavaName::PowerInteractive).unwrap_or(true)
}

/// ((KeyguardManager) context.getSystemService("keyguard")).isKeyguardLocked()
fn is_locked(java: &JavaBridge, env: &mut Env, context: &JObject) -> bool {
    ask(java, env, context, "keyguard", JavaName::KeyguardLocked).unwrap_or(false)
}

/// The answer of a service of the context; `None` if there is no such service, or if it does not answer.
fn ask(
    java: &JavaBridge,
    env: &mut Env,
    context: &JObject,
    service: &str,
    question: JavaName,
) -> Option<bool> {
    if context.is_null() {
        return None;
    }
    let answer = env.with_local_frame(8, |env| {
        let name = env.new_string(service)?;
        let service = java
            .call(env, JavaName::ContextService, context, &[(&name).into()])?
            .into_object()?;
        if service.is_null() {
            return Ok(None);
        }
        Ok(Some(java.call(env, question, &service, &[])?.into_bool()?))
    });
    answer.unwrap_or_else(|error: JavaError| {
        tracing::warn!(%error, service, "could not ask a service of the phone");
        None
    })
}

/// Dismisses a lock screen without a secret, or one that a trusted place or device keeps open.
fn dismiss(java: &JavaBridge, env: &mut Env) -> JavaResult<()> {
    // WindowManagerGlobal.getWindowManagerService().dismissKeyguard(null, null)
    let service = java
        .call_static(env, JavaName::WindowService, &[])?
        .into_object()?;
    let null = JObject::null();
    let forms: [&[JValue]; 3] = [&[(&null).into(), (&null).into()], &[(&null).into()], &[]];
    java.call_any(env, JavaName::KeyguardDismiss, &service, &forms)?;
    Ok(())
}

fn wait_until(
    java: &JavaBridge,
    env: &mut Env,
    mut is_done: impl FnMut(&mut Env) -> bool,
) -> JavaResult<bool> {
    for _ in 0..WAITS {
        if is_done(env) {
            return Ok(true);
        }
        clock::sleep(java, env, WAIT_MILLIS)?;
    }
    Ok(is_done(env))
}
