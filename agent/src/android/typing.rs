//! Replaces the text of a field: set by accessibility, typed by key events, or pasted from the clipboard.

use jni::Env;
use jni::objects::{JObject, JObjectArray, JValue};
use retap_shared::Text;
use retap_shared::action::Key;
use retap_shared::geometry::Point;

use super::input::InputInjector;
use super::java::{JavaBridge, JavaError, JavaResult};
use super::nodes::{text as text_of, with_field};
use super::table::JavaName;
use super::windows::{for_each_element, root};

/// AccessibilityNodeInfo.ACTION_*.
const FOCUS: i32 = 1;
const PASTE: i32 = 0x8000;
const SET_SELECTION: i32 = 0x2_0000;
const SET_TEXT: i32 = 0x20_0000;
/// KeyCharacterMap.VIRTUAL_KEYBOARD.
const VIRTUAL_KEYBOARD: i32 = -1;

/// Replaces the text of the field at this point. If there is none, taps the point and types to the focused widget.
pub(crate) fn replace_text(
    input: InputInjector<'_>,
    env: &mut Env,
    at: Point,
    text: &Text,
) -> JavaResult<()> {
    let mut set = |env: &mut Env, field: &JObject| {
        if set_text(input, env, field, text)? {
            return Ok(true);
        }
        // The old text is selected, so that the new text replaces it.
        perform(input, env, field, FOCUS, &JObject::null())?;
        let length = text_of(input.java, env, JavaName::NodeText, field)?
            .encode_utf16()
            .count();
        select(input, env, field, i32::try_from(length).unwrap_or(i32::MAX))?;
        if type_keys(input, env, text)? {
            return Ok(true);
        }
        paste(input, env, field, text)
    };
    match at_field(input, env, at, &mut set)? {
        Some(true) => Ok(()),
        Some(false) => Err(cannot_type(
            "the field accepts no set, typed or pasted text",
        )),
        None => {
            input.tap(env, at)?;
            if type_keys(input, env, text)? {
                return Ok(());
            }
            Err(cannot_type("there is no field, and no keys type the text"))
        }
    }
}

/// Calls `work` with the field at this point, in the topmost window that has one.
fn at_field(
    input: InputInjector<'_>,
    env: &mut Env,
    at: Point,
    work: &mut dyn FnMut(&mut Env, &JObject) -> JavaResult<bool>,
) -> JavaResult<Option<bool>> {
    let mut done = None;
    // getWindows() lists the topmost window first.
    for list in input.accessibility.windows(input.java, env)? {
        for_each_element(input.java, env, &list, &mut |env, window| {
            if done.is_none() {
                let root = root(input.java, env, window)?;
                if !root.is_null() {
                    done = with_field(input.java, env, &root, at, work)?;
                }
            }
            Ok(())
        })?;
    }
    Ok(done)
}

fn set_text(
    input: InputInjector<'_>,
    env: &mut Env,
    field: &JObject,
    text: &Text,
) -> JavaResult<bool> {
    let arguments = text_bundle(input.java, env, text)?;
    perform(input, env, field, SET_TEXT, &arguments)
}

/// bundle.putCharSequence(ACTION_ARGUMENT_SET_TEXT_CHARSEQUENCE, text)
pub(crate) fn text_bundle<'l>(
    java: &JavaBridge,
    env: &mut Env<'l>,
    text: &Text,
) -> JavaResult<JObject<'l>> {
    let bundle = java.make(env, JavaName::BundleNew, &[&[]])?;
    let key = env.new_string("ACTION_ARGUMENT_SET_TEXT_CHARSEQUENCE")?;
    let value = env.new_string(text)?;
    java.call(
        env,
        JavaName::BundlePutText,
        &bundle,
        &[(&key).into(), (&value).into()],
    )?;
    Ok(bundle)
}

fn select(input: InputInjector<'_>, env: &mut Env, field: &JObject, end: i32) -> JavaResult<bool> {
    let bundle = input.java.make(env, JavaName::BundleNew, &[&[]])?;
    let ends = [
        ("ACTION_ARGUMENT_SELECTION_START_INT", 0),
        ("ACTION_ARGUMENT_SELECTION_END_INT", end),
    ];
    for (key, value) in ends {
        // arguments.putInt(ACTION_ARGUMENT_SELECTION_END_INT, end)
        let key = env.new_string(key)?;
        input.java.call(
            env,
            JavaName::BundlePutInt,
            &bundle,
            &[(&key).into(), value.into()],
        )?;
    }
    perform(input, env, field, SET_SELECTION, &bundle)
}

/// field.performAction(action, arguments)
fn perform(
    input: InputInjector<'_>,
    env: &mut Env,
    field: &JObject,
    action: i32,
    bundle: &JObject,
) -> JavaResult<bool> {
    let arguments = [action.into(), bundle.into()];
    Ok(input
        .java
        .call(env, JavaName::NodePerform, field, &arguments)?
        .into_bool()?)
}

/// Types the text by keys; false if a character has no key. An empty text deletes the selection.
fn type_keys(input: InputInjector<'_>, env: &mut Env, text: &Text) -> JavaResult<bool> {
    if text.is_empty() {
        input.key(env, Key::Delete)?;
        return Ok(true);
    }
    let java = input.java;
    env.with_local_frame(16, |env| {
        // KeyCharacterMap.load(VIRTUAL_KEYBOARD).getEvents(text.toCharArray())
        let map = java
            .call_static(env, JavaName::KeyMapLoad, &[VIRTUAL_KEYBOARD.into()])?
            .into_object()?;
        let units: Vec<u16> = text.encode_utf16().collect();
        let chars = env.new_char_array(units.len())?;
        chars.set_region(env, 0, &units)?;
        let chars: &JObject = chars.as_ref();
        let events = java
            .call(env, JavaName::KeyMapEvents, &map, &[JValue::Object(chars)])?
            .into_object()?;
        if events.is_null() {
            return Ok(false);
        }
        let events = env.cast_local::<JObjectArray>(events)?;
        for number in 0..events.len(env)? {
            env.with_local_frame(8, |env| {
                let event = events.get_element(env, number)?;
                input.inject(env, &event)
            })?;
        }
        Ok(true)
    })
}

/// clipboard.setPrimaryClip(ClipData.newPlainText("retap", text)); field.performAction(ACTION_PASTE)
fn paste(
    input: InputInjector<'_>,
    env: &mut Env,
    field: &JObject,
    text: &Text,
) -> JavaResult<bool> {
    let java = input.java;
    let name = env.new_string("clipboard")?;
    let clipboard = java
        .call(
            env,
            JavaName::ContextService,
            input.context,
            &[(&name).into()],
        )?
        .into_object()?;
    // The service checks the caller's package: it must be the shell's, not the one of the system context.
    java.set(
        env,
        JavaName::ClipboardContext,
        &clipboard,
        input.context.into(),
    )?;
    let label = env.new_string("retap")?;
    let value = env.new_string(text)?;
    let clip = java
        .call_static(env, JavaName::ClipNew, &[(&label).into(), (&value).into()])?
        .into_object()?;
    java.call(env, JavaName::ClipboardSet, &clipboard, &[(&clip).into()])?;
    perform(input, env, field, PASTE, &JObject::null())
}

fn cannot_type(why: &'static str) -> JavaError {
    JavaError::Refused {
        call: "performAction(ACTION_SET_TEXT)",
        why,
    }
}
