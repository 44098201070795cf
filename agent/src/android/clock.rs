//! SystemClock: the phone's own time, in milliseconds since boot, without the time it slept.

use jni::Env;
use jni::objects::JValue;

use super::java::{JavaBridge, JavaResult};
use super::table::JavaName;

/// SystemClock.uptimeMillis()
pub(crate) fn now(java: &JavaBridge, env: &mut Env) -> JavaResult<i64> {
    Ok(java
        .call_static(env, JavaName::ClockNow, &[])?
        .into_long()?)
}

/// SystemClock.sleep(millis)
pub(crate) fn sleep(java: &JavaBridge, env: &mut Env, millis: i64) -> JavaResult<()> {
    java.call_static(env, JavaName::ClockSleep, &[JValue::Long(millis)])?;
    Ok(())
}
