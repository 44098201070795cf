//! IActivityManager and ActivityManager: starting, stopping and clearing apps, the activity in front, and the
//! listener for crashes and ANRs.

use std::time::Duration;

use jni::Env;
use jni::objects::{JObject, JValue};
use jni::refs::Global;
use retap_shared::Text;

use super::java::{JavaBridge, JavaError, JavaResult};
use super::system_callbacks::SYSTEM_CALLBACKS;
use super::table::JavaName;

/// The package that the agent acts for.
const SHELL: &str = "com.android.shell";
const ACTION_MAIN: &str = "android.intent.action.MAIN";
pub(crate) const CATEGORY_LAUNCHER: &str = "android.intent.category.LAUNCHER";
pub(crate) const CATEGORY_HOME: &str = "android.intent.category.HOME";
/// FLAG_ACTIVITY_NEW_TASK | FLAG_ACTIVITY_RESET_TASK_IF_NEEDED, as a launcher starts an app.
const AS_LAUNCHER: i32 = 0x1000_0000 | 0x0020_0000;
/// Timeout for clearing an app's data: a phone under load takes seconds.
const CLEARING: Duration = Duration::from_secs(20);

/// ActivityManager.getService()
fn service<'l>(java: &JavaBridge, env: &mut Env<'l>) -> JavaResult<JObject<'l>> {
    let name = if java.has(env, JavaName::ActivityService) {
        JavaName::ActivityService
    } else {
        JavaName::ActivityDefault
    };
    Ok(java.call_static(env, name, &[])?.into_object()?)
}

/// Sets the listener for crashes and ANRs, which is called before the system shows a dialog.
pub(crate) fn watch(java: &JavaBridge, env: &mut Env, controller: &JObject) -> JavaResult<()> {
    let service = service(java, env)?;
    // service.setActivityController(controller, false)
    let forms: [&[JValue]; 2] = [
        &[controller.into(), JValue::Bool(false)],
        &[controller.into()],
    ];
    java.call_any(env, JavaName::ActivityController, &service, &forms)?;
    Ok(())
}

/// Starts an activity as a launcher would.
pub(crate) fn start(
    java: &JavaBridge,
    env: &mut Env,
    package: &str,
    activity: &str,
    user: i32,
) -> JavaResult<()> {
    let intent = main_intent(java, env, CATEGORY_LAUNCHER, package)?;
    let package = env.new_string(package)?;
    let class = env.new_string(activity)?;
    // intent.setComponent(new ComponentName(package, activity)).setFlags(AS_LAUNCHER)
    let component = java.make(
        env,
        JavaName::ComponentNew,
        &[&[(&package).into(), (&class).into()]],
    )?;
    java.call(
        env,
        JavaName::IntentComponent,
        &intent,
        &[(&component).into()],
    )?;
    java.call(env, JavaName::IntentFlags, &intent, &[AS_LAUNCHER.into()])?;
    let service = service(java, env)?;
    let shell = env.new_string(SHELL)?;
    let null = JObject::null();
    // service.startActivityAsUser(null, SHELL, intent, null, null, null, -1, 0, null, null, user)
    let mut arguments = vec![(&null).into(), (&shell).into(), (&intent).into()];
    arguments.extend([&null, &null, &null].map(JValue::Object));
    arguments.extend([
        JValue::Int(-1),
        JValue::Int(0),
        (&null).into(),
        (&null).into(),
        user.into(),
    ]);
    let started = java
        .call(env, JavaName::ActivityStart, &service, &arguments)?
        .into_int()?;
    if started < 0 {
        let why =
            "the system refused to start the activity: see `adb logcat -s ActivityTaskManager`";
        return Err(JavaError::Refused {
            call: "startActivityAsUser",
            why,
        });
    }
    Ok(())
}

/// new Intent(ACTION_MAIN).addCategory(category).setPackage(package)
pub(crate) fn main_intent<'l>(
    java: &JavaBridge,
    env: &mut Env<'l>,
    category: &str,
    package: &str,
) -> JavaResult<JObject<'l>> {
    let action = env.new_string(ACTION_MAIN)?;
    let intent = java.make(env, JavaName::IntentNew, &[&[(&action).into()]])?;
    let category = env.new_string(category)?;
    java.call(
        env,
        JavaName::IntentCategory,
        &intent,
        &[(&category).into()],
    )?;
    if !package.is_empty() {
        let package = env.new_string(package)?;
        java.call(env, JavaName::IntentPackage, &intent, &[(&package).into()])?;
    }
    Ok(intent)
}

/// service.forceStopPackage(package, user)
pub(crate) fn force_stop(
    java: &JavaBridge,
    env: &mut Env,
    package: &str,
    user: i32,
) -> JavaResult<()> {
    let service = service(java, env)?;
    let package = env.new_string(package)?;
    java.call(
        env,
        JavaName::ActivityForceStop,
        &service,
        &[(&package).into(), user.into()],
    )?;
    Ok(())
}

/// Clears the app's data and waits until `observer` is called.
pub(crate) fn clear_data(
    java: &JavaBridge,
    env: &mut Env,
    package: &str,
    observer: &JObject,
    user: i32,
) -> JavaResult<()> {
    let service = service(java, env)?;
    let name = env.new_string(package)?;
    SYSTEM_CALLBACKS.forget_cleared();
    // service.clearApplicationUserData(package, false, observer, user)
    let forms: [&[JValue]; 2] = [
        &[
            (&name).into(),
            JValue::Bool(false),
            observer.into(),
            user.into(),
        ],
        &[(&name).into(), observer.into(), user.into()],
    ];
    let accepted = java
        .call_any(env, JavaName::ActivityClear, &service, &forms)?
        .into_bool()?;
    let refused = |why| {
        Err(JavaError::Refused {
            call: "clearApplicationUserData",
            why,
        })
    };
    if !accepted {
        return refused("the system did not accept it: is the app installed for this user?");
    }
    match SYSTEM_CALLBACKS.wait_cleared(package, CLEARING) {
        Some(true) => Ok(()),
        Some(false) => refused("the system could not clear the app's data"),
        None => refused("clearing the app's data timed out after 20 s"),
    }
}

/// (ActivityManager) context.getSystemService("activity")
pub(crate) fn manager(
    java: &JavaBridge,
    env: &mut Env,
    context: &JObject,
) -> JavaResult<Global<JObject<'static>>> {
    let name = env.new_string("activity")?;
    let manager = java
        .call(env, JavaName::ContextService, context, &[(&name).into()])?
        .into_object()?;
    Ok(env.new_global_ref(manager)?)
}

/// The activity in front as `package/class`; empty if there is none.
pub(crate) fn top_activity(
    java: &JavaBridge,
    env: &mut Env,
    manager: &JObject,
) -> JavaResult<Text> {
    // manager.getRunningTasks(1)
    let tasks = java
        .call(env, JavaName::ActivityTasks, manager, &[1.into()])?
        .into_object()?;
    if tasks.is_null()
        || java
            .call(env, JavaName::ListSize, &tasks, &[])?
            .into_int()?
            == 0
    {
        return Ok(Text::default());
    }
    // tasks.get(0).topActivity
    let task = java
        .call(env, JavaName::ListGet, &tasks, &[0.into()])?
        .into_object()?;
    let top = java.get(env, JavaName::TaskTop, &task)?.into_object()?;
    if top.is_null() {
        return Ok(Text::default());
    }
    let package = java
        .call(env, JavaName::ComponentPackage, &top, &[])?
        .into_object()?;
    let class = java
        .call(env, JavaName::ComponentClass, &top, &[])?
        .into_object()?;
    Ok(format!("{}/{}", java.text(env, &package)?, java.text(env, &class)?).into())
}

/// The user's locale, font scale in percent, and dark mode.
pub(crate) fn configuration(java: &JavaBridge, env: &mut Env) -> JavaResult<(Text, u32, bool)> {
    /// Configuration.UI_MODE_NIGHT_MASK and UI_MODE_NIGHT_YES.
    const NIGHT: (i32, i32) = (0x30, 0x20);
    let service = service(java, env)?;
    // service.getConfiguration()
    let configuration = java
        .call(env, JavaName::ActivityConfiguration, &service, &[])?
        .into_object()?;
    let scale = java
        .get(env, JavaName::ConfigurationFontScale, &configuration)?
        .into_float()?;
    let mode = java
        .get(env, JavaName::ConfigurationUiMode, &configuration)?
        .into_int()?;
    let locale = java
        .get(env, JavaName::ConfigurationLocale, &configuration)?
        .into_object()?;
    let locale = if locale.is_null() {
        Text::default()
    } else {
        // configuration.locale.toLanguageTag()
        let tag = java
            .call(env, JavaName::LocaleTag, &locale, &[])?
            .into_object()?;
        java.text(env, &tag)?
    };
    Ok((
        locale,
        (scale * 100.0).round() as u32,
        mode & NIGHT.0 == NIGHT.1,
    ))
}
