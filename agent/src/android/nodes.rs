//! AccessibilityNodeInfo: a window's tree as flat nodes, which the bootstrap's `Nodes` reads, and the field under a finger.

use jni::Env;
use jni::objects::{JIntArray, JObject, JObjectArray, JString, JValue};
use retap_shared::Text;
use retap_shared::screen::{Node, NodeFlags, Point, Rect};

use super::java::{Java, JavaError, Result, string};
use super::table::Name;

/// Beyond this a tree is cut off: a list without end must not fill a reply.
const MOST_NODES: i32 = 5_000;
/// Each level holds references while those below it are read, and old phones have room for 512 in all.
const MOST_DEPTH: u16 = 150;
/// References that a step of the way down needs at once.
const FRAME: usize = 8;
/// So many nodes are taken apart before the references to their texts are let go.
const NODES_A_FRAME: usize = 16;
/// Prefetch a whole subtree, breadth first, without interruption (33 and later).
pub(crate) const PREFETCH: i32 = 0x20 | 0x10;
/// Below this level a node goes back to a pool, or the pool runs dry.
const WITHOUT_POOL: u32 = 33;

/// What `Nodes.read` gives of each node: depth, flags and place; class, id, text and description.
const NUMBERS: usize = 6;
const TEXTS: usize = 4;
/// Beside the flags: which of these texts there are, from this bit on.
const FIRST_TEXT: usize = 16;

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

/// The tree under `root`.
pub(crate) fn read_tree(java: &Java, env: &mut Env, root: &JObject, level: u32) -> Result<Vec<Node>> {
    // What is given to a static method is not looked at: one call on it shows that it is a node.
    java.call(env, Name::NodeChildCount, root, &[])?;
    let prefetch = if java.form(env, Name::NodeChild)? == 0 { PREFETCH } else { 0 };
    let (depth, recycles) = (i32::from(MOST_DEPTH), JValue::Bool(level < WITHOUT_POOL));
    let arguments = [root.into(), MOST_NODES.into(), depth.into(), prefetch.into(), recycles];
    env.with_local_frame(FRAME, |env| {
        // Object[] read = Nodes.read(root, MOST_NODES, MOST_DEPTH, prefetch, recycles)
        let read = java.call_static(env, Name::NodesRead, &arguments)?.into_object()?;
        let read = env.cast_local::<JObjectArray>(read)?;
        let given = read.get_element(env, 0)?;
        let given = env.cast_local::<JIntArray>(given)?;
        let texts = read.get_element(env, 1)?;
        let texts = env.cast_local::<JObjectArray<JString>>(texts)?;
        let mut numbers = vec![0; given.len(env)?];
        given.get_region(env, 0, &mut numbers)?;
        let (numbers, _) = numbers.as_chunks::<NUMBERS>();
        let mut nodes = Vec::with_capacity(numbers.len());
        for some in numbers.chunks(NODES_A_FRAME) {
            env.with_local_frame(NODES_A_FRAME * TEXTS, |env| {
                for numbers in some {
                    nodes.push(node(env, numbers, &texts, nodes.len() * TEXTS)?);
                }
                Ok::<_, JavaError>(())
            })?;
        }
        Ok(nodes)
    })
}

fn node(env: &mut Env, numbers: &[i32; NUMBERS], texts: &JObjectArray<JString>, at: usize) -> Result<Node> {
    let [depth, flags, left, top, right, bottom] = *numbers;
    let mut text = |number: usize| {
        if flags & 1 << (FIRST_TEXT + number) == 0 {
            return Ok(Text::default());
        }
        let text = texts.get_element(env, at + number)?;
        Ok::<Text, JavaError>(string(env, &text)?.into())
    };
    let [class, id, said, description] = [text(0)?, text(1)?, text(2)?, text(3)?];
    Ok(Node {
        depth: u16::try_from(depth).unwrap_or(MOST_DEPTH),
        class,
        id,
        text: said,
        description,
        bounds: Rect { left, top, right, bottom },
        flags: flags_of(flags),
    })
}

fn flags_of(bits: i32) -> NodeFlags {
    let set = FLAGS.iter().enumerate().filter(|(bit, _)| bits & 1 << bit != 0);
    set.fold(NodeFlags::empty(), |flags, (_, flag)| flags | *flag)
}

/// node.getChild(number, FLAG_PREFETCH_DESCENDANTS_BREADTH_FIRST | FLAG_PREFETCH_UNINTERRUPTIBLE)
fn child<'l>(java: &Java, env: &mut Env<'l>, node: &JObject, number: i32) -> Result<JObject<'l>> {
    let forms: [&[JValue]; 2] = [&[number.into(), PREFETCH.into()], &[number.into()]];
    Ok(java.call_any(env, Name::NodeChild, node, &forms)?.into_object()?)
}

/// node.getText(), and so on
pub(crate) fn text(java: &Java, env: &mut Env, name: Name, node: &JObject) -> Result<Text> {
    let text = java.call(env, name, node, &[])?.into_object()?;
    java.text(env, &text)
}

/// rect.left, rect.top, rect.right, rect.bottom
pub(crate) fn rect(java: &Java, env: &mut Env, rect: &JObject) -> Result<Rect> {
    Ok(Rect {
        left: java.get(env, Name::RectLeft, rect)?.into_int()?,
        top: java.get(env, Name::RectTop, rect)?.into_int()?,
        right: java.get(env, Name::RectRight, rect)?.into_int()?,
        bottom: java.get(env, Name::RectBottom, rect)?.into_int()?,
    })
}

/// Does `work` with the deepest field under `root` that text can be put into at this place. `None` without one.
pub(crate) fn with_field<T>(
    java: &Java,
    env: &mut Env,
    root: &JObject,
    at: Point,
    work: &mut dyn FnMut(&mut Env, &JObject) -> Result<T>,
) -> Result<Option<T>> {
    let bounds = java.make(env, Name::RectNew, &[&[]])?;
    field_under(java, env, root, &bounds, at, 0, work)
}

fn field_under<T>(
    java: &Java,
    env: &mut Env,
    node: &JObject,
    bounds: &JObject,
    at: Point,
    depth: u16,
    work: &mut dyn FnMut(&mut Env, &JObject) -> Result<T>,
) -> Result<Option<T>> {
    // node.getBoundsInScreen(bounds)
    java.call(env, Name::NodeBounds, node, &[bounds.into()])?;
    if !rect(java, env, bounds)?.contains(at) || depth > MOST_DEPTH {
        return Ok(None);
    }
    let children = java.call(env, Name::NodeChildCount, node, &[])?.into_int()?;
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
    if java.call(env, Name::NodeIsEditable, node, &[])?.into_bool()? {
        return Ok(Some(work(env, node)?));
    }
    Ok(None)
}
