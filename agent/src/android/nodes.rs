//! AccessibilityNodeInfo: a window's tree as flat nodes, read by the bootstrap's `Nodes`, and the text field at a point.

use jni::Env;
use jni::objects::{JCharArray, JIntArray, JObject, JObjectArray, JValue};
use retap_shared::Text;
use retap_shared::geometry::{Point, Rect};
use retap_shared::screen::{Node, NodeFlags};

use super::java::{JavaBridge, JavaResult};
use super::table::JavaName;

/// Maximum number of nodes of a tree: an endless list must not fill a reply.
const MAX_NODES: i32 = 5_000;
/// Maximum depth of a tree. Each level holds references while it is read, and old phones have room for 512.
const MAX_DEPTH: u16 = 150;
/// Number of references that each level of a search needs.
const FRAME: usize = 8;
/// Prefetch a subtree, breadth first, without interruption (33 and later).
pub(crate) const PREFETCH: i32 = 0x20 | 0x10;
/// API level from which nodes are not pooled. Below it they must be recycled.
const WITHOUT_POOL: u32 = 33;

/// Number of integers per node that `Nodes.read` returns: depth, flags, bounds, and the numbers of the texts.
const NUMBERS: usize = 10;

/// The flags in the order of the bits that `Nodes.read` sets.
const FLAGS: [NodeFlags; 11] = [
    NodeFlags::ENABLED,
    NodeFlags::CLICKABLE,
    NodeFlags::LONG_CLICKABLE,
    NodeFlags::SCROLLABLE,
    NodeFlags::CHECKABLE,
    NodeFlags::CHECKED,
    NodeFlags::EDITABLE,
    NodeFlags::FOCUSED,
    NodeFlags::SELECTED,
    NodeFlags::PASSWORD,
    NodeFlags::VISIBLE,
];

/// The nodes of a window, and the package that owns it.
#[derive(Debug, Default)]
pub(crate) struct WindowTree {
    pub(crate) package: Text,
    pub(crate) nodes: Vec<Node>,
}

/// Reads the tree under `root`.
pub(crate) fn read_tree(
    java: &JavaBridge,
    env: &mut Env,
    root: &JObject,
    level: u32,
) -> JavaResult<WindowTree> {
    // Arguments of a static method are not checked. This call checks that `root` is a node.
    java.call(env, JavaName::NodeChildCount, root, &[])?;
    let prefetch = if java.form(env, JavaName::NodeChild)? == 0 {
        PREFETCH
    } else {
        0
    };
    let depth = i32::from(MAX_DEPTH);
    let recycles = JValue::Bool(level < WITHOUT_POOL);
    let arguments = [
        root.into(),
        MAX_NODES.into(),
        depth.into(),
        prefetch.into(),
        recycles,
    ];
    env.with_local_frame(FRAME, |env| {
        // Object[] read = Nodes.read(root, MAX_NODES, MAX_DEPTH, prefetch, recycles)
        let read = java
            .call_static(env, JavaName::NodesRead, &arguments)?
            .into_object()?;
        let read = env.cast_local::<JObjectArray>(read)?;
        let numbers = integers(env, &read, 0)?;
        let ends = integers(env, &read, 1)?;
        let characters = read.get_element(env, 2)?;
        let characters = env.cast_local::<JCharArray>(characters)?;
        let mut units = vec![0; characters.len(env)?];
        characters.get_region(env, 0, &mut units)?;
        let texts = texts(&units, &ends);
        let (package, numbers) = numbers.split_first().unwrap_or((&0, &[]));
        let (numbers, _) = numbers.as_chunks::<NUMBERS>();
        let nodes = numbers
            .iter()
            .map(|numbers| node(numbers, &texts))
            .collect();
        Ok(WindowTree {
            package: text_of_number(*package, &texts),
            nodes,
        })
    })
}

pub(crate) fn integers(env: &mut Env, read: &JObjectArray, number: usize) -> JavaResult<Vec<i32>> {
    let array = read.get_element(env, number)?;
    let array = env.cast_local::<JIntArray>(array)?;
    let mut integers = vec![0; array.len(env)?];
    array.get_region(env, 0, &mut integers)?;
    Ok(integers)
}

/// The texts, each up to its end, after an empty one for number 0. Half a surrogate pair becomes U+FFFD.
fn texts(units: &[u16], ends: &[i32]) -> Vec<Text> {
    let mut texts = vec![Text::default()];
    let mut start = 0;
    for end in ends {
        let end = usize::try_from(*end).unwrap_or_default();
        let units = units.get(start..end).unwrap_or_default();
        let characters = char::decode_utf16(units.iter().copied());
        texts.push(
            characters
                .map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect(),
        );
        start = end;
    }
    texts
}

fn text_of_number(number: i32, texts: &[Text]) -> Text {
    let text = usize::try_from(number)
        .ok()
        .and_then(|number| texts.get(number));
    text.cloned().unwrap_or_default()
}

fn node(numbers: &[i32; NUMBERS], texts: &[Text]) -> Node {
    let [
        depth,
        flags,
        left,
        top,
        right,
        bottom,
        class,
        id,
        shown,
        description,
    ] = *numbers;
    let text = |number: i32| text_of_number(number, texts);
    Node {
        depth: u16::try_from(depth).unwrap_or(MAX_DEPTH),
        class: text(class),
        id: text(id),
        text: text(shown),
        description: text(description),
        bounds: Rect {
            left,
            top,
            right,
            bottom,
        },
        flags: flags_of(flags),
    }
}

fn flags_of(bits: i32) -> NodeFlags {
    let set = FLAGS
        .iter()
        .enumerate()
        .filter(|(bit, _)| bits & 1 << bit != 0);
    set.fold(NodeFlags::empty(), |flags, (_, flag)| flags | *flag)
}

/// node.getChild(number, FLAG_PREFETCH_DESCENDANTS_BREADTH_FIRST | FLAG_PREFETCH_UNINTERRUPTIBLE)
fn child<'l>(
    java: &JavaBridge,
    env: &mut Env<'l>,
    node: &JObject,
    number: i32,
) -> JavaResult<JObject<'l>> {
    let forms: [&[JValue]; 2] = [&[number.into(), PREFETCH.into()], &[number.into()]];
    Ok(java
        .call_any(env, JavaName::NodeChild, node, &forms)?
        .into_object()?)
}

/// node.getText(), and so on
pub(crate) fn text(
    java: &JavaBridge,
    env: &mut Env,
    name: JavaName,
    node: &JObject,
) -> JavaResult<Text> {
    let text = java.call(env, name, node, &[])?.into_object()?;
    java.text(env, &text)
}

/// rect.left, rect.top, rect.right, rect.bottom
pub(crate) fn rect(java: &JavaBridge, env: &mut Env, rect: &JObject) -> JavaResult<Rect> {
    Ok(Rect {
        left: java.get(env, JavaName::RectLeft, rect)?.into_int()?,
        top: java.get(env, JavaName::RectTop, rect)?.into_int()?,
        right: java.get(env, JavaName::RectRight, rect)?.into_int()?,
        bottom: java.get(env, JavaName::RectBottom, rect)?.into_int()?,
    })
}

/// Calls `work` with the deepest editable node under `root` at this point. `None` if there is none.
pub(crate) fn with_field<T>(
    java: &JavaBridge,
    env: &mut Env,
    root: &JObject,
    at: Point,
    work: &mut dyn FnMut(&mut Env, &JObject) -> JavaResult<T>,
) -> JavaResult<Option<T>> {
    let bounds = java.make(env, JavaName::RectNew, &[&[]])?;
    field_under(java, env, root, &bounds, at, 0, work)
}

fn field_under<T>(
    java: &JavaBridge,
    env: &mut Env,
    node: &JObject,
    bounds: &JObject,
    at: Point,
    depth: u16,
    work: &mut dyn FnMut(&mut Env, &JObject) -> JavaResult<T>,
) -> JavaResult<Option<T>> {
    // node.getBoundsInScreen(bounds)
    java.call(env, JavaName::NodeBounds, node, &[bounds.into()])?;
    if !rect(java, env, bounds)?.contains(at) || depth > MAX_DEPTH {
        return Ok(None);
    }
    let children = java
        .call(env, JavaName::NodeChildCount, node, &[])?
        .into_int()?;
    // The last child is drawn on top.
    for number in (0..children).rev() {
        let found = env.with_local_frame(FRAME, |env| {
            let child = child(java, env, node, number)?;
            if child.is_null() {
                return Ok(None);
            }
            field_under(java, env, &child, bounds, at, depth + 1, work)
        })?;
        if found.is_some() {
            return Ok(found);
        }
    }
    // node.isEditable()
    if java
        .call(env, JavaName::NodeIsEditable, node, &[])?
        .into_bool()?
    {
        return Ok(Some(work(env, node)?));
    }
    Ok(None)
}
