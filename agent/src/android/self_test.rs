//! JNI exports that tests on OpenJDK call to run the JNI code on real framework classes: android-project/bootstrap/src/test.
//! Only with the feature `self-test`, never in a phone's library.

mod natives;

use jni::EnvUnowned;
use jni::errors::ThrowRuntimeExAndDefault;
use jni::objects::{JClass, JIntArray, JObject, JString};
use jni::sys::{jint, jlong};
use retap_shared::geometry::Point;

use super::input::{key_event, motion};
use super::java::{JavaBridge, JavaError};
use super::nodes::read_tree;
use super::typing::text_bundle;
use super::windows::read_window;

/// `SelfTest.readTree(root, level)`: one line per node.
#[unsafe(no_mangle)]
extern "system" fn Java_dev_retap_agent_SelfTest_readTree<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    root: JObject<'l>,
    level: jint,
) -> JString<'l> {
    env.with_env(|env| -> Result<_, JavaError> {
        let java = JavaBridge::of_class(env, &class)?;
        let mut lines = String::new();
        for node in read_tree(&java, env, &root, level.unsigned_abs())?.nodes {
            let bounds = node.bounds;
            lines.push_str(&format!(
                "{} {:?} {:?} {:?} {:?} {},{},{},{} {:?}\n",
                node.depth,
                node.class,
                node.id,
                node.text,
                node.description,
                bounds.left,
                bounds.top,
                bounds.right,
                bounds.bottom,
                node.flags,
            ));
        }
        Ok(env.new_string(lines)?)
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}

/// `SelfTest.readWindow(window, level)`
#[unsafe(no_mangle)]
extern "system" fn Java_dev_retap_agent_SelfTest_readWindow<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    window: JObject<'l>,
    level: jint,
) -> JString<'l> {
    env.with_env(|env| -> Result<_, JavaError> {
        let java = JavaBridge::of_class(env, &class)?;
        let read = read_window(&java, env, &window, level.unsigned_abs())?;
        let window = read.window;
        let line = format!(
            "{} {:?} {:?} {:?} {}",
            read.layer, window.kind, window.title, window.flags, window.nodes
        );
        Ok(env.new_string(line)?)
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}

/// `SelfTest.motion(down, now, action, xs, ys)`: an event of a gesture.
#[unsafe(no_mangle)]
extern "system" fn Java_dev_retap_agent_SelfTest_motion<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    down: jlong,
    now: jlong,
    action: jint,
    xs: JIntArray<'l>,
    ys: JIntArray<'l>,
) -> JObject<'l> {
    env.with_env(|env| -> Result<_, JavaError> {
        let java = JavaBridge::of_class(env, &class)?;
        let count = xs.len(env)?;
        let mut x = vec![0; count];
        let mut y = vec![0; count];
        xs.get_region(env, 0, &mut x)?;
        ys.get_region(env, 0, &mut y)?;
        let fingers: Vec<_> = x.into_iter().zip(y).map(|(x, y)| Point { x, y }).collect();
        motion(&java, env, down, now, action, &fingers)
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}

/// `SelfTest.key(down, now, action, code)`: an event of a key.
#[unsafe(no_mangle)]
extern "system" fn Java_dev_retap_agent_SelfTest_key<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    down: jlong,
    now: jlong,
    action: jint,
    code: jint,
) -> JObject<'l> {
    env.with_env(|env| -> Result<_, JavaError> {
        let java = JavaBridge::of_class(env, &class)?;
        key_event(&java, env, down, now, action, code)
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}

/// `SelfTest.bundle(text)`: the arguments of ACTION_SET_TEXT.
#[unsafe(no_mangle)]
extern "system" fn Java_dev_retap_agent_SelfTest_bundle<'l>(
    mut env: EnvUnowned<'l>,
    class: JClass<'l>,
    text: JString<'l>,
) -> JObject<'l> {
    env.with_env(|env| -> Result<_, JavaError> {
        let java = JavaBridge::of_class(env, &class)?;
        let text = java.text(env, &text)?;
        text_bundle(&java, env, &text)
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}
