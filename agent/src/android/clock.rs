//! SystemClock: the phone's own time, in milliseconds since boot, without the time it slept.

use jni::Env;
use jni::objects::JValue;

use super::java::{Java, Result};
use super::table::Name;

/// SystemClock.uptimeMillis()
pub(crate) fn now(java: &Java, env: &mut Env) -> Result<i64> {
    Ok(java.call_static(env, Name::ClockNow, &[])?.into_long()?)
}

/// SystemClock.sleep(millis)
pub(crate) fn sleep(java: &Java, env: &mut Env, millis: i64) -> Result<()> {
    java.call_static(env, Name::ClockSleep, &[JValue::Long(millis)])?;
    Ok(())
}
