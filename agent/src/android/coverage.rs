//! The bootstrap's Coverage: the branches of an app that have run, if the app counts them.

use jni::Env;
use jni::objects::JIntArray;

use super::java::{JavaBridge, JavaResult};
use super::table::JavaName;

/// Coverage.isCounted()
pub(crate) fn is_counted(java: &JavaBridge, env: &mut Env) -> JavaResult<bool> {
    Ok(java
        .call_static(env, JavaName::CoverageIsCounted, &[])?
        .into_bool()?)
}

/// Coverage.total(package): number of the app's branches, 0 if they are not counted.
pub(crate) fn total(java: &JavaBridge, env: &mut Env, package: &str) -> JavaResult<u32> {
    let package = env.new_string(package)?;
    let total = java
        .call_static(env, JavaName::CoverageTotal, &[(&package).into()])?
        .into_int()?;
    Ok(u32::try_from(total).unwrap_or_default())
}

/// Coverage.take(): the branches since the last call, null if they are not counted.
pub(crate) fn take(java: &JavaBridge, env: &mut Env, into: &mut Vec<u32>) -> JavaResult<()> {
    let ran = java
        .call_static(env, JavaName::CoverageTake, &[])?
        .into_object()?;
    if ran.is_null() {
        return Ok(());
    }
    let ran = env.cast_local::<JIntArray>(ran)?;
    let mut numbers = vec![0; ran.len(env)?];
    ran.get_region(env, 0, &mut numbers)?;
    into.extend(numbers.into_iter().map(i32::cast_unsigned));
    Ok(())
}
