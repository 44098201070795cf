//! AccessibilityNodeInfo: a window's tree as flat nodes, which the bootstrap's `Nodes` reads, and the field under a finger.

use jni::Env;
use jni::objects::{JCharArray, JIntArray, JObject, JObjectArray, JValue};
use retap_shared::Text;
use retap_shared::geometry::{Point, Rect};
use retap_shared::screen::{Node, NodeFlags};

use super::java::{JavaBridge, JavaResult};
use super::table::JavaName;

/// Beyond this a tree is cut off: a list without end must not fill a reply.
const MOST_NODES: i32 = 5_000;
/// Each level holds references while those below it are read, and old phones have room for 512 in all.
const MOST_DEPTH: u16 = 150;
/// References that a step of the way down needs at once.
const FRAME: usize = 8;
/// Prefetch a whole subtree, breadth first, without interruption (33 and later).
pub(crate) const PREFETCH: i32 = 0x20 | 0x10;
/// Below this level a node goes back to a pool, or the pool runs dry.
const WITHOUT_POOL: u32 = 33;

/// What `Nodes.read` gives of each node: depth, flags and place; the numbers of its class, id, text and description.
const NUMBERS: usize = 10;

/// In the order of the bits that `Nodes.read` sets.
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

/// What a window shows, and whose it is.
#[derive(Debug, Default)]
pub(crate) struct WindowTree {
    pub(crate) package: Text,
    pub(crate) nodes: Vec<Node>,
}

/// The tree under `root`.
pub(crate) fn read_tree(
    java: &JavaBridge,
    env: &mut Env,
    root: &JObject,
    level: u32,
) -> JavaResult<WindowTree> {
    // What is given to a static method is not looked at: one call on it shows that it is a node.
    java.call(env, JavaName::NodeChildCount, root, &[])?;
    let prefetch = if java.form(env, JavaName::NodeChild)? == 0 {
        PREFETCH
    } else {
        0
    };
    let depth = i32::from(MOST_DEPTH);
    let recycles = JValue::Bool(level < WITHOUT_POOL);
    let arguments = [
        root.into(),
        MOST_NODES.into(),
        depth.into(),
        prefetch.into(),
        recycles,
    ];
    env.with_local_frame(FRAME, |env| {
        // Object[] read = Nodes.read(root, MOST_NODES, MOST_DEPTH, prefetch, recycles)
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
            package: numbered(*package, &texts),
            nodes,
        })
    })
}

pub(crate) fn integers(env: &mut Env, read: &JObjectArray, number: usize) -> JavaResult<Vec<i32>> {
    let given = read.get_element(env, number)?;
    let given = env.cast_local::<JIntArray>(given)?;
    let mut integers = vec![0; given.len(env)?];
    given.get_region(env, 0, &mut integers)?;
    Ok(integers)
}

/// One after the other, each up to its end, after an empty one for what has none. Half a surrogate pair becomes U+FFFD.
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

fn numbered(number: i32, texts: &[Text]) -> Text {
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
        said,
        description,
    ] = *numbers;
    let text = |number: i32| numbered(number, texts);
    Node {
        depth: u16::try_from(depth).unwrap_or(MOST_DEPTH),
        class: text(class),
        id: text(id),
        text: text(said),
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

/// Does `work` with the deepest field under `root` that text can be put into at this place. `None` without one.
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
    if !rect(java, env, bounds)?.contains(at) || depth > MOST_DEPTH {
        return Ok(None);
    }
    let children = java
        .call(env, JavaName::NodeChildCount, node, &[])?
        .into_int()?;
    // What was drawn last is on top.
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
