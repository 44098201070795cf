//! Draws windows, and the containers that place widgets.
//! The widgets themselves are in `widgets`, `scroll` and `dialog`.

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::geometry::{Rect, Rotation, Size};
use retap_shared::screen::{
    Node, NodeFlags, Screen, ScreenContent, Window, WindowFlags, WindowKind,
};

use super::drawn_screen::{DrawnScreen, NodeHandler, ScreenBehavior, WindowCancel};
use super::keyboard;
use super::late_dialog::LateDialog;

pub(super) const STATUS_BAR: i32 = 63;

/// The display in a rotation: 1080 x 1920 upright.
pub(crate) fn display_size(rotation: Rotation) -> Size {
    if is_landscape(rotation) {
        Size {
            width: 1920,
            height: 1080,
        }
    } else {
        Size {
            width: 1080,
            height: 1920,
        }
    }
}

/// The whole display in a rotation.
pub(crate) fn display_bounds(rotation: Rotation) -> Rect {
    let size = display_size(rotation);
    Rect {
        left: 0,
        top: 0,
        right: size.width as i32,
        bottom: size.height as i32,
    }
}

pub(crate) fn is_landscape(rotation: Rotation) -> bool {
    matches!(rotation, Rotation::Left | Rotation::Right)
}

/// State of the framework that the app does not see while it draws.
pub(super) struct DrawContext<'a> {
    pub(super) rotation: Rotation,
    pub(super) package: &'a Text,
    /// As `package/.Class`.
    pub(super) activity: &'a Text,
    /// No activity beneath this one.
    pub(super) first: bool,
    pub(super) menu_open: bool,
    pub(super) focus: Option<&'a Text>,
    /// The focused field is to be scrolled into view.
    pub(super) reveal: bool,
    pub(super) scrolls: &'a [(Text, i32)],
    /// Number of nodes to reserve.
    pub(super) expected: usize,
}

/// Change of the framework's own state, which does not fit the drawn widgets. The screen is then drawn again.
pub(super) enum LayoutCorrection {
    /// The field that had the focus is gone, or a window has come above it.
    Unfocus,
    Scroll(Text, i32),
}

pub(crate) struct Ui<'a, M> {
    pub(super) frame: DrawContext<'a>,
    pub(super) nodes: Vec<Node>,
    pub(super) handlers: Vec<(u32, NodeHandler<M>)>,
    pub(super) menu: Option<Vec<(Text, Text, M)>>,
    /// Free area of the container that is being filled, and the direction of its children.
    pub(super) area: Rect,
    pub(super) flow: LayoutFlow,
    /// Visible part of it.
    pub(super) clip: Rect,
    pub(super) correction: Option<LayoutCorrection>,
    /// Distance of the focused field from the visible area, if it is to be revealed.
    pub(super) hidden_by: i32,
    /// The window that has the focused field, and its node if it can be seen.
    pub(super) focused: Option<(usize, Option<u32>)>,
    pub(super) animated_node: Option<u32>,
    pub(super) checkable_nodes: Vec<(u32, u16)>,
    windows: Vec<Window>,
    cancels: Vec<WindowCancel<M>>,
    depth: u16,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum LayoutFlow {
    Down,
    /// From the left, each child this wide.
    Across(i32),
    /// From the right.
    Leftwards(i32),
}

/// Bounds of a widget: all of it, and the visible part.
pub(super) struct WidgetBounds {
    pub(super) full: Rect,
    pub(super) visible: Rect,
}

impl<'a, M> Ui<'a, M> {
    /// Opens the activity's window.
    pub(super) fn new(frame: DrawContext<'a>) -> Self {
        let display = display_bounds(frame.rotation);
        let mut ui = Ui {
            nodes: Vec::with_capacity(frame.expected),
            handlers: Vec::with_capacity(24),
            menu: None,
            area: display,
            flow: LayoutFlow::Down,
            clip: display,
            correction: None,
            hidden_by: 0,
            focused: None,
            animated_node: None,
            checkable_nodes: Vec::new(),
            windows: Vec::with_capacity(3),
            cancels: Vec::with_capacity(3),
            depth: 0,
            frame,
        };
        let title = ui.frame.activity.clone();
        ui.open_window(WindowKind::Application, title, display, WindowCancel::Never);
        ui.area.top = STATUS_BAR;
        if ui.frame.focus.is_some() {
            ui.area.bottom -= keyboard::height(ui.frame.rotation);
        }
        ui.clip = ui.area;
        ui
    }

    pub(super) fn finish(
        mut self,
        late: Option<LateDialog>,
    ) -> Result<DrawnScreen<M>, LayoutCorrection> {
        if let Some(correction) = self.correction.take() {
            return Err(correction);
        }
        let menu = self.menu.take();
        let has_menu = menu.is_some();
        if let Some(items) = menu.filter(|_| self.frame.menu_open) {
            self.popup_menu(items);
        }
        if let Some(late) = late {
            self.late_dialog(late);
        }
        self.focus_front_window()?;
        let keyboard = self.focused.is_some();
        if keyboard {
            self.add_keyboard();
        }
        let content = ScreenContent {
            size: display_size(self.frame.rotation),
            rotation: self.frame.rotation,
            activity: self.frame.activity.clone(),
            windows: self.windows,
            nodes: self.nodes,
        };
        let screen = Screen::new(content).expect("nodes are nested as they are drawn");
        let behavior = ScreenBehavior {
            handlers: self.handlers,
            cancels: self.cancels,
            focused: self.focused.and_then(|(_, node)| node),
            keyboard,
            has_menu,
            animated_node: self.animated_node,
            checkable_nodes: self.checkable_nodes,
        };
        Ok(DrawnScreen {
            screen: Arc::new(screen),
            behavior: Arc::new(behavior),
        })
    }

    /// Ends the window in front and focuses it. The focused field must be in it.
    fn focus_front_window(&mut self) -> Result<(), LayoutCorrection> {
        let front = self.window();
        if self.frame.focus.is_some() && self.focused.is_none_or(|(window, _)| window != front) {
            return Err(LayoutCorrection::Unfocus);
        }
        self.windows[front].flags = WindowFlags::FOCUSED;
        self.close_window();
        Ok(())
    }

    fn add_keyboard(&mut self) {
        let rotation = self.frame.rotation;
        self.windows.push(keyboard::window(rotation));
        self.cancels.push(WindowCancel::Never);
        self.nodes.extend_from_slice(keyboard::nodes(rotation));
    }

    /// Opens a window above the others. Later widgets are drawn into it.
    pub(super) fn open_window(
        &mut self,
        kind: WindowKind,
        title: Text,
        bounds: Rect,
        cancel: WindowCancel<M>,
    ) {
        self.close_window();
        self.windows.push(Window {
            kind,
            package: self.frame.package.clone(),
            title,
            bounds,
            flags: WindowFlags::empty(),
            // Where its nodes begin; their number once it is closed.
            nodes: self.nodes.len() as u32,
        });
        self.cancels.push(cancel);
        self.depth = 0;
        self.flow = LayoutFlow::Down;
        self.area = bounds;
        self.clip = bounds;
        self.push(
            "android.widget.FrameLayout",
            Text::default(),
            Text::default(),
            bounds,
            NodeFlags::empty(),
        );
        self.depth = 1;
    }

    /// The current window ends where its content ends.
    pub(super) fn shrink_window(&mut self, bottom: i32) {
        if let Some(window) = self.windows.last_mut() {
            window.bounds.bottom = bottom;
            self.nodes[window.nodes as usize].bounds.bottom = bottom;
        }
    }

    /// The current window is another package's.
    pub(super) fn window_of(&mut self, package: Text) {
        if let Some(window) = self.windows.last_mut() {
            window.package = package;
        }
    }

    fn close_window(&mut self) {
        if let Some(window) = self.windows.last_mut() {
            window.nodes = self.nodes.len() as u32 - window.nodes;
        }
    }

    pub(super) fn window(&self) -> usize {
        self.windows.len() - 1
    }

    pub(super) fn push(
        &mut self,
        class: &'static str,
        id: Text,
        text: Text,
        bounds: Rect,
        flags: NodeFlags,
    ) -> u32 {
        let node = self.nodes.len() as u32;
        self.nodes.push(Node {
            depth: self.depth,
            class: Text::new_static(class),
            id,
            text,
            description: Text::default(),
            bounds,
            flags: flags | NodeFlags::ENABLED | NodeFlags::VISIBLE,
        });
        node
    }

    /// Takes the next place of the current container; `None` if it is not visible.
    pub(super) fn place(&mut self, height: i32) -> Option<WidgetBounds> {
        let mut whole = self.area;
        match self.flow {
            LayoutFlow::Down => {
                whole.bottom = whole.top.saturating_add(height);
                self.area.top = whole.bottom;
            }
            LayoutFlow::Across(width) => {
                whole.right = whole.left + width;
                self.area.left = whole.right;
            }
            LayoutFlow::Leftwards(width) => {
                whole.left = whole.right - width;
                self.area.right = whole.left;
            }
        }
        let seen = Rect {
            left: whole.left.max(self.clip.left),
            top: whole.top.max(self.clip.top),
            right: whole.right.min(self.clip.right),
            bottom: whole.bottom.min(self.clip.bottom),
        };
        (!seen.is_empty()).then_some(WidgetBounds {
            full: whole,
            visible: seen,
        })
    }

    /// Fills a container that was just pushed, and returns the rest of its area.
    pub(super) fn inside(
        &mut self,
        area: Rect,
        flow: LayoutFlow,
        fill: impl FnOnce(&mut Self),
    ) -> Rect {
        let outer = (self.area, self.flow);
        (self.area, self.flow) = (area, flow);
        self.depth += 1;
        fill(self);
        self.depth -= 1;
        let left = self.area;
        (self.area, self.flow) = outer;
        left
    }
}
