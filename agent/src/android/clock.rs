//! SystemClock: phone time, in milliseconds since boot without deep sleep.

use jni::Env;
use jni::objects::JValue;
use retap_shared::micros::Micros;

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

/// Converts phone time in Java's milliseconds.
pub(crate) fn micros(millis: i64) -> Micros {
    Micros::from_millis(u64::try_from(millis).unwrap_or_default())
}
