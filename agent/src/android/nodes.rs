//! AccessibilityNodeInfo: a window's tree as flat nodes, and the field under a finger. Trees come from apps and may be
//! huge, deep, circular or half gone: what is read then is smaller, and no local reference outlives its node.

use std::collections::HashSet;

use jni::Env;
use jni::objects::{JObject, JValue};
use retap_shared::Text;
use retap_shared::screen::{Node, NodeFlags, Point, Rect};

use super::java::{Java, Result};
use super::table::Name;

/// Beyond this a tree is cut off: a list without end must not fill a reply.
const MOST_NODES: usize = 5_000;
/// Each level holds references while those below it are read, and old phones have room for 512 in all.
const MOST_DEPTH: u16 = 150;
/// References that one node needs at once.
const FRAME: usize = 8;
/// Prefetch a whole subtree, breadth first, without interruption (33 and later).
pub(crate) const PREFETCH: i32 = 0x20 | 0x10;

const FLAGS: [(Name, NodeFlags); 11] = [
    (Name::NodeIsEnabled, NodeFlags::ENABLED),
    (Name::NodeIsClickable, NodeFlags::CLICKABLE),
    (Name::NodeIsLongClickable, NodeFlags::LONG_CLICKABLE),
    (Name::NodeIsScrollable, NodeFlags::SCROLLABLE),
    (Name::NodeIsCheckable, NodeFlags::CHECKABLE),
    (Name::NodeIsChecked, NodeFlags::CHECKED),
    (Name::NodeIsEditable, NodeFlags::EDITABLE),
    (Name::NodeIsFocused, NodeFlags::FOCUSED),
    (Name::NodeIsSelected, NodeFlags::SELECTED),
    (Name::NodeIsPassword, NodeFlags::PASSWORD),
    (Name::NodeIsVisible, NodeFlags::VISIBLE),
];

/// Reads trees into `nodes`, one after the other.
#[derive(Debug)]
pub(crate) struct NodeReader<'a> {
    java: &'a Java,
    /// Below 33 a node goes back to a pool, or the pool runs dry.
    recycles: bool,
    seen: HashSet<i64>,
    pub(crate) nodes: Vec<Node>,
}

impl<'a> NodeReader<'a> {
    pub(crate) fn new(java: &'a Java, level: u32) -> Self {
        NodeReader { java, recycles: level < 33, seen: HashSet::new(), nodes: Vec::new() }
    }

    /// Appends the tree under `root`.
    pub(crate) fn read_tree(&mut self, env: &mut Env, root: &JObject) -> Result<()> {
        self.seen.clear();
        let java = self.java;
        env.with_local_frame(FRAME, |env| {
            // new Rect()
            let bounds = java.make(env, Name::RectNew, &[&[]])?;
            self.read(env, root, &bounds, 0)
        })
    }

    fn read(&mut self, env: &mut Env, node: &JObject, bounds: &JObject, depth: u16) -> Result<()> {
        let java = self.java;
        // node.getSourceNodeId()
        let number = java.call(env, Name::NodeNumber, node, &[])?.into_long()?;
        if self.nodes.len() >= MOST_NODES || !self.seen.insert(number) {
            return Ok(());
        }
        let read = env.with_local_frame(FRAME, |env| self.attributes(env, node, bounds, depth))?;
        self.nodes.push(read);
        // node.getChildCount()
        let children = java.call(env, Name::NodeChildCount, node, &[])?.into_int()?;
        if depth < MOST_DEPTH {
            for child in 0..children {
                if self.nodes.len() >= MOST_NODES {
                    break;
                }
                env.with_local_frame(FRAME, |env| self.read_child(env, node, child, bounds, depth + 1))?;
            }
        }
        Ok(())
    }

    /// A child that has gone meanwhile is null.
    fn read_child(
        &mut self,
        env: &mut Env,
        node: &JObject,
        number: i32,
        bounds: &JObject,
        depth: u16,
    ) -> Result<()> {
        let child = child(self.java, env, node, number)?;
        if child.is_null() {
            return Ok(());
        }
        self.read(env, &child, bounds, depth)?;
        if self.recycles {
            // child.recycle()
            self.java.call(env, Name::NodeRecycle, &child, &[])?;
        }
        Ok(())
    }

    fn attributes(&self, env: &mut Env, node: &JObject, bounds: &JObject, depth: u16) -> Result<Node> {
        let java = self.java;
        let mut flags = NodeFlags::empty();
        for (name, flag) in FLAGS {
            // node.isEnabled(), and so on
            flags.set(flag, java.call(env, name, node, &[])?.into_bool()?);
        }
        // node.getBoundsInScreen(bounds)
        java.call(env, Name::NodeBounds, node, &[bounds.into()])?;
        Ok(Node {
            depth,
            class: text(java, env, Name::NodeClass, node)?,
            id: text(java, env, Name::NodeId, node)?,
            text: text(java, env, Name::NodeText, node)?,
            description: text(java, env, Name::NodeDescription, node)?,
            bounds: rect(java, env, bounds)?,
            flags,
        })
    }
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
