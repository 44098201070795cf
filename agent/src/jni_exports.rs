//! The JNI exports, and the policy for panics and errors: nothing unwinds into the VM. `run` throws errors to its caller;
//! the callbacks, which the system server waits for, only log them. On phones a panic ends the process.

use std::io;
use std::path::PathBuf;

use jni::errors::{LogErrorAndDefault, ThrowRuntimeExAndDefault};
use jni::objects::{JClass, JObject, JObjectArray, JString};
use jni::sys::{jboolean, jlong};
use jni::{Env, EnvUnowned};
use retap_shared::error_text::with_causes;

use crate::agent_process::{self, ServeError};
use crate::android::clock::micros;
use crate::android::java::{JavaBridge, string};
use crate::android::system_callbacks::SYSTEM_CALLBACKS;
use crate::android::{AndroidPhone, BootstrapObjects, user};
use crate::log;
use crate::options::{AgentOptions, AgentOptionsError};
use crate::phone::PhoneError;
use crate::version::version;

/// The error that Java gets as an exception.
#[derive(Debug, thiserror::Error)]
enum JniError {
    #[error("the Java VM failed: {0}")]
    Vm(#[from] jni::errors::Error),
    #[error(transparent)]
    Options(#[from] AgentOptionsError),
    #[error(transparent)]
    Phone(#[from] PhoneError),
    #[error("{}", with_causes(.0))]
    Serve(#[from] ServeError),
    #[error("could not write `{}`: {source}", .file.display())]
    Names { file: PathBuf, source: io::Error },
    #[error("could not become user {uid}: {source}")]
    User { uid: u32, source: io::Error },
}

/// `Native.version()`: the bootstrap must be of the same build.
#[unsafe(no_mangle)]
extern "system" fn Java_dev_retap_agent_Native_version<'l>(
    mut env: EnvUnowned<'l>,
    _: JClass<'l>,
) -> JString<'l> {
    env.with_env(|env| env.new_string(version()))
        .resolve::<ThrowRuntimeExAndDefault>()
}

/// `Native.leaveRoot(args)`: restarts a process of root as the user that the options name.
#[unsafe(no_mangle)]
extern "system" fn Java_dev_retap_agent_Native_leaveRoot<'l>(
    mut env: EnvUnowned<'l>,
    _: JClass<'l>,
    arguments: JObjectArray<'l, JString<'l>>,
) {
    env.with_env(|env| -> Result<(), JniError> {
        match AgentOptions::parse(&strings(env, &arguments)?)?.uid {
            Some(uid) => user::leave_root(uid).map_err(|source| JniError::User { uid, source }),
            None => Ok(()),
        }
    })
    .resolve::<ThrowRuntimeExAndDefault>();
}

/// `Native.run(args, context, controller, events, cleared)`: serves one host until it is done.
#[unsafe(no_mangle)]
extern "system" fn Java_dev_retap_agent_Native_run<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    arguments: JObjectArray<'l, JString<'l>>,
    context: JObject<'l>,
    controller: JObject<'l>,
    events: JObject<'l>,
    cleared: JObject<'l>,
) {
    env.with_env(|env| -> Result<(), JniError> {
        log::start();
        let options = AgentOptions::parse(&strings(env, &arguments)?)?;
        tracing::info!(?options, version = version(), "the agent starts");
        let java = JavaBridge::of_class(env, &class)?;
        if let Some(file) = &options.names {
            let written = std::fs::write(file, names(&java, env));
            written.map_err(|source| JniError::Names {
                file: file.clone(),
                source,
            })?;
        }
        let objects = BootstrapObjects {
            context: env.new_global_ref(context)?,
            controller: env.new_global_ref(controller)?,
            events: env.new_global_ref(events)?,
            cleared: env.new_global_ref(cleared)?,
        };
        let phone = AndroidPhone::connect(java, objects, &options)?;
        Ok(agent_process::serve(Box::new(phone), &options)?)
    })
    .resolve::<ThrowRuntimeExAndDefault>();
}

/// `Native.list()`: every row of the table with the form of this phone, one line each.
#[unsafe(no_mangle)]
extern "system" fn Java_dev_retap_agent_Native_list<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
) -> JString<'l> {
    env.with_env(|env| -> Result<JString<'l>, JniError> {
        let java = JavaBridge::of_class(env, &class)?;
        let lines = names(&java, env);
        Ok(env.new_string(lines)?)
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}

/// One line per row: the name, its class and member, the form of this phone, and the form's number.
fn names(java: &JavaBridge, env: &mut Env) -> String {
    let mut lines = String::new();
    for (row, form) in java.list(env) {
        let forms = row.descriptors.len();
        let found = match form {
            Some(form) => format!("{} {} of {forms}", row.descriptors[form], form + 1),
            None => "missing".to_owned(),
        };
        lines.push_str(&format!(
            "{:?} {}.{} {found}\n",
            row.name, row.class, row.member
        ));
    }
    lines
}

/// `Native.event(uptimeMillis)`: the screen changed.
#[unsafe(no_mangle)]
extern "system" fn Java_dev_retap_agent_Native_event(_: EnvUnowned<'_>, _: JClass<'_>, at: jlong) {
    SYSTEM_CALLBACKS.screen_changed(micros(at));
}

/// `Native.crashed(uptimeMillis, process, shortMessage, longMessage, stack)`
#[unsafe(no_mangle)]
extern "system" fn Java_dev_retap_agent_Native_crashed<'l>(
    mut env: EnvUnowned<'l>,
    _: JClass<'l>,
    at: jlong,
    process: JString<'l>,
    short: JString<'l>,
    long: JString<'l>,
    stack: JString<'l>,
) {
    env.with_env(|env| -> Result<(), JniError> {
        let [process, short, long, stack] =
            [process, short, long, stack].map(|text| string(env, &text));
        SYSTEM_CALLBACKS.crashed(micros(at), &process?, &short?, &long?, &stack?);
        Ok(())
    })
    .resolve::<LogErrorAndDefault>();
}

/// `Native.notResponding(uptimeMillis, process, statistics)`
#[unsafe(no_mangle)]
extern "system" fn Java_dev_retap_agent_Native_notResponding<'l>(
    mut env: EnvUnowned<'l>,
    _: JClass<'l>,
    at: jlong,
    process: JString<'l>,
    statistics: JString<'l>,
) {
    env.with_env(|env| -> Result<(), JniError> {
        SYSTEM_CALLBACKS.not_responding(
            micros(at),
            &string(env, &process)?,
            &string(env, &statistics)?,
        );
        Ok(())
    })
    .resolve::<LogErrorAndDefault>();
}

/// `Native.cleared(package, succeeded)`
#[unsafe(no_mangle)]
extern "system" fn Java_dev_retap_agent_Native_cleared<'l>(
    mut env: EnvUnowned<'l>,
    _: JClass<'l>,
    package: JString<'l>,
    succeeded: jboolean,
) {
    env.with_env(|env| -> Result<(), JniError> {
        SYSTEM_CALLBACKS.cleared(&string(env, &package)?, succeeded);
        Ok(())
    })
    .resolve::<LogErrorAndDefault>();
}

fn strings(
    env: &mut Env,
    array: &JObjectArray<'_, JString<'_>>,
) -> jni::errors::Result<Vec<String>> {
    (0..array.len(env)?)
        .map(|number| {
            let text = array.get_element(env, number)?;
            string(env, &text)
        })
        .collect()
}
