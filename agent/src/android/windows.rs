//! AccessibilityWindowInfo: the windows of all displays, bottom window first, each with its tree.

use jni::Env;
use jni::objects::{JObject, JObjectArray, JValue};
use retap_shared::Text;
use retap_shared::geometry::Rect;
use retap_shared::screen::{Node, Window, WindowFlags, WindowKind};

use super::accessibility::Accessibility;
use super::java::{JavaBridge, JavaError, JavaResult};
use super::nodes::{PREFETCH, WindowTree, integers, read_tree};
use super::table::JavaName;

/// AccessibilityWindowInfo.TYPE_APPLICATION and TYPE_INPUT_METHOD; every other type is the system's.
const APPLICATION: i32 = 1;
const KEYBOARD: i32 = 2;
/// Number of references that one window needs.
const FRAME: usize = 16;

/// A window with its nodes; `layer` is its order.
#[derive(Clone, Debug)]
pub(crate) struct ReadWindow {
    pub(crate) layer: i32,
    /// Unique number: if the set of numbers is the same, no window was opened or closed.
    pub(crate) number: i32,
    pub(crate) window: Window,
    pub(crate) nodes: Vec<Node>,
}

/// Reads every window, bottom window first. A window that is closed meanwhile has no nodes.
pub(crate) fn read_windows(
    java: &JavaBridge,
    env: &mut Env,
    accessibility: &Accessibility,
    level: u32,
) -> JavaResult<Vec<ReadWindow>> {
    let mut windows = Vec::new();
    env.with_local_frame(FRAME, |env| {
        for list in accessibility.windows(java, env)? {
            for_each_element(java, env, &list, &mut |env, window| {
                windows.push(read_window(java, env, window, level)?);
                Ok(())
            })?;
        }
        Ok::<_, JavaError>(())
    })?;
    windows.sort_by_key(|window| window.layer);
    mark_dialogs(&mut windows);
    Ok(windows)
}

/// Calls `work` with each element of a java.util.List that is not null.
pub(crate) fn for_each_element(
    java: &JavaBridge,
    env: &mut Env,
    list: &JObject,
    work: &mut dyn FnMut(&mut Env, &JObject) -> JavaResult<()>,
) -> JavaResult<()> {
    if list.is_null() {
        return Ok(());
    }
    // for (int i = 0; i < list.size(); i++) work(list.get(i))
    let count = java.call(env, JavaName::ListSize, list, &[])?.into_int()?;
    for number in 0..count {
        env.with_local_frame(FRAME, |env| {
            let element = java
                .call(env, JavaName::ListGet, list, &[number.into()])?
                .into_object()?;
            if element.is_null() {
                Ok(())
            } else {
                work(env, &element)
            }
        })?;
    }
    Ok(())
}

pub(crate) fn read_window(
    java: &JavaBridge,
    env: &mut Env,
    window: &JObject,
    level: u32,
) -> JavaResult<ReadWindow> {
    // Arguments of a static method are not checked. This call checks that `window` is a window.
    let root = root(java, env, window)?;
    let has_titles = JValue::Bool(java.has(env, JavaName::WindowTitle));
    // Object[] read = Windows.read(window, hasTitles)
    let read = java
        .call_static(env, JavaName::WindowsRead, &[window.into(), has_titles])?
        .into_object()?;
    let read = env.cast_local::<JObjectArray>(read)?;
    let numbers = integers(env, &read, 0)?;
    let title = read.get_element(env, 1)?;
    let title = java.text(env, &title)?;
    let tree = if root.is_null() {
        WindowTree::default()
    } else {
        read_tree(java, env, &root, level)?
    };
    window_of(&numbers, title, tree).ok_or_else(|| JavaError::Arguments("Windows.read".to_owned()))
}

/// The window of the numbers that `Windows.read` returns; `None` if there are more or fewer.
fn window_of(numbers: &[i32], title: Text, tree: WindowTree) -> Option<ReadWindow> {
    let [
        layer,
        number,
        kind,
        is_child,
        is_focused,
        left,
        top,
        right,
        bottom,
    ] = *<&[i32; 9]>::try_from(numbers).ok()?;
    let mut flags = WindowFlags::empty();
    flags.set(WindowFlags::FOCUSED, is_focused != 0);
    let window = Window {
        kind: kind_of(kind, is_child != 0),
        package: tree.package,
        title,
        bounds: Rect {
            left,
            top,
            right,
            bottom,
        },
        flags,
        nodes: u32::try_from(tree.nodes.len()).unwrap_or(u32::MAX),
    };
    Some(ReadWindow {
        layer,
        number,
        window,
        nodes: tree.nodes,
    })
}

/// window.getRoot(FLAG_PREFETCH_DESCENDANTS_BREADTH_FIRST | FLAG_PREFETCH_UNINTERRUPTIBLE)
pub(crate) fn root<'l>(
    java: &JavaBridge,
    env: &mut Env<'l>,
    window: &JObject,
) -> JavaResult<JObject<'l>> {
    let forms: [&[JValue]; 2] = [&[PREFETCH.into()], &[]];
    Ok(java
        .call_any(env, JavaName::WindowRoot, window, &forms)?
        .into_object()?)
}

fn kind_of(number: i32, is_child: bool) -> WindowKind {
    match number {
        APPLICATION if is_child => WindowKind::Popup,
        APPLICATION => WindowKind::Application,
        KEYBOARD => WindowKind::Keyboard,
        _ => WindowKind::System,
    }
}

/// Marks dialogs, which the framework does not: a smaller window above one of the same app.
fn mark_dialogs(windows: &mut [ReadWindow]) {
    for number in 1..windows.len() {
        let (below, above) = windows.split_at_mut(number);
        let window = &mut above[0].window;
        let is_over = |under: &ReadWindow| {
            under.window.kind == WindowKind::Application
                && under.window.package == window.package
                && (under.window.bounds.width() > window.bounds.width()
                    || under.window.bounds.height() > window.bounds.height())
        };
        if window.kind == WindowKind::Application
            && !window.package.is_empty()
            && below.iter().any(is_over)
        {
            window.kind = WindowKind::Dialog;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_window_over_one_of_the_same_app_is_a_dialog() {
        let mut windows = vec![
            window("app", 100),
            window("app", 60),
            window("other", 50),
            window("app", 100),
        ];
        mark_dialogs(&mut windows);
        let kinds: Vec<_> = windows.iter().map(|read| read.window.kind).collect();
        let app = WindowKind::Application;
        assert_eq!(kinds, [app, WindowKind::Dialog, app, app]);
    }

    fn window(package: &str, size: i32) -> ReadWindow {
        let bounds = Rect {
            left: 0,
            top: 0,
            right: size,
            bottom: size,
        };
        let window = Window {
            package: package.into(),
            bounds,
            ..Window::default()
        };
        ReadWindow {
            layer: 0,
            number: 0,
            window,
            nodes: Vec::new(),
        }
    }
}
