//! Widgets that an app puts into its containers. Text fields are in `text_fields`.

use retap_shared::Text;
use retap_shared::geometry::Rect;
use retap_shared::screen::NodeFlags;

use super::IntoText;
use super::drawn_screen::NodeHandler;
use super::ui::{LayoutFlow, Ui};

pub(super) const TOOLBAR: i32 = 147;
pub(super) const BUTTON: i32 = 132;
const TEXT: i32 = 66;
const PICTURE: i32 = 300;
pub(super) const ROW: i32 = 192;

/// Node of a widget; none if it is not visible.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedNode(pub(super) Option<u32>);

impl<M> Ui<'_, M> {
    pub(crate) fn text(&mut self, id: impl IntoText, text: impl IntoText) -> PlacedNode {
        self.leaf(
            "android.widget.TextView",
            id,
            text,
            TEXT,
            NodeFlags::empty(),
        )
    }

    pub(crate) fn button(
        &mut self,
        id: impl IntoText,
        label: impl IntoText,
        tap: impl Into<M>,
    ) -> PlacedNode {
        let placed = self.leaf(
            "android.widget.Button",
            id,
            label,
            BUTTON,
            NodeFlags::CLICKABLE,
        );
        self.tap(placed, tap)
    }

    pub(crate) fn picture(
        &mut self,
        id: impl IntoText,
        description: impl IntoText,
        tap: impl Into<M>,
    ) -> PlacedNode {
        let placed = self.leaf(
            "android.widget.ImageView",
            id,
            "",
            PICTURE,
            NodeFlags::CLICKABLE,
        );
        self.describe(placed, description);
        self.tap(placed, tap)
    }

    pub(crate) fn progress(&mut self, id: impl IntoText, text: impl IntoText) -> PlacedNode {
        self.leaf(
            "android.widget.ProgressBar",
            id,
            text,
            TEXT,
            NodeFlags::empty(),
        )
    }

    pub(crate) fn check(
        &mut self,
        id: impl IntoText,
        label: impl IntoText,
        on: bool,
        tap: impl Into<M>,
    ) -> PlacedNode {
        self.two_state("android.widget.CheckBox", id, label, on, tap)
    }

    pub(crate) fn switch(
        &mut self,
        id: impl IntoText,
        label: impl IntoText,
        on: bool,
        tap: impl Into<M>,
    ) -> PlacedNode {
        self.two_state("android.widget.Switch", id, label, on, tap)
    }

    pub(crate) fn radio(
        &mut self,
        id: impl IntoText,
        label: impl IntoText,
        on: bool,
        tap: impl Into<M>,
    ) -> PlacedNode {
        self.two_state("android.widget.RadioButton", id, label, on, tap)
    }

    /// Children beside each other, all equally wide.
    pub(crate) fn columns(&mut self, count: i32, fill: impl FnOnce(&mut Self)) {
        let Some(place) = self.place(BUTTON) else {
            return;
        };
        let none = Text::default();
        self.push(
            "android.widget.LinearLayout",
            none.clone(),
            none,
            place.visible,
            NodeFlags::empty(),
        );
        self.inside(
            place.full,
            LayoutFlow::Across(place.full.width() / count.max(1)),
            fill,
        );
    }

    /// A row that can be tapped, with widgets in it.
    pub(crate) fn item(
        &mut self,
        id: impl IntoText,
        tap: impl Into<M>,
        fill: impl FnOnce(&mut Self),
    ) -> PlacedNode {
        let Some(place) = self.place(ROW) else {
            return PlacedNode(None);
        };
        let class = "android.widget.LinearLayout";
        let flags = NodeFlags::CLICKABLE;
        let placed = PlacedNode(Some(self.push(
            class,
            id.into_text(),
            Text::default(),
            place.visible,
            flags,
        )));
        self.tap(placed, tap);
        let Rect {
            left,
            top,
            right,
            bottom,
        } = place.full;
        let area = Rect {
            left: left + 48,
            top: top + 24,
            right: right - 24,
            bottom: bottom - 24,
        };
        self.inside(area, LayoutFlow::Down, fill);
        placed
    }

    /// One widget at the right edge of a row.
    pub(crate) fn at_right(&mut self, fill: impl FnOnce(&mut Self)) {
        let outer = (self.area, self.flow);
        self.flow = LayoutFlow::Leftwards(TOOLBAR);
        fill(self);
        let right = self.area.right;
        (self.area, self.flow) = outer;
        self.area.right = right;
    }

    /// The bar at the top: the Up button where there is one, the title, and the widgets of `fill` on the right.
    pub(crate) fn toolbar(&mut self, title: impl IntoText, fill: impl FnOnce(&mut Self)) {
        let Some(place) = self.place(TOOLBAR) else {
            return;
        };
        let none = Text::default();
        self.push(
            "android.widget.Toolbar",
            none.clone(),
            none,
            place.visible,
            NodeFlags::empty(),
        );
        let first = self.frame.first;
        self.inside(place.full, LayoutFlow::Across(TOOLBAR), |ui| {
            if !first {
                let up = ui.image_button("", "Navigate up");
                ui.add_handler(up, NodeHandler::Up);
            }
            let none = Text::default();
            let title = ui.push(
                "android.widget.TextView",
                none,
                title.into_text(),
                ui.area,
                NodeFlags::empty(),
            );
            ui.flow = LayoutFlow::Leftwards(TOOLBAR);
            fill(ui);
            ui.nodes[title as usize].bounds.right = ui.area.right;
        });
    }

    /// A picture to tap, in a toolbar or at the right of a row.
    pub(crate) fn toolbar_action(
        &mut self,
        id: impl IntoText,
        description: impl IntoText,
        tap: impl Into<M>,
    ) -> PlacedNode {
        let placed = self.image_button(id, description);
        self.tap(placed, tap)
    }

    /// One of several tabs in a row; the chosen one is selected.
    pub(crate) fn tab(
        &mut self,
        id: impl IntoText,
        label: impl IntoText,
        chosen: bool,
        tap: impl Into<M>,
    ) -> PlacedNode {
        let flags = if chosen {
            NodeFlags::SELECTED
        } else {
            NodeFlags::empty()
        };
        let placed = self.leaf(
            "android.widget.TextView",
            id,
            label,
            BUTTON,
            flags | NodeFlags::CLICKABLE,
        );
        self.tap(placed, tap)
    }

    /// Shows the app's `ticked` as its checked state; nothing else on the screen depends on that.
    pub(crate) fn checked_by(&mut self, placed: PlacedNode, tick: u16) {
        self.checkable_nodes
            .extend(placed.0.map(|node| (node, tick)));
    }

    /// Message of a long press on it.
    pub(crate) fn on_long_press(&mut self, placed: PlacedNode, long: impl Into<M>) -> PlacedNode {
        self.mark(placed, NodeFlags::LONG_CLICKABLE);
        self.add_handler(placed, NodeHandler::LongPress(long.into()))
    }

    /// Message of the keyboard's Enter in this field.
    pub(crate) fn on_submit(&mut self, placed: PlacedNode, submit: impl Into<M>) -> PlacedNode {
        self.add_handler(placed, NodeHandler::Submit(submit.into()))
    }

    /// Greys it out unless `enabled`: it still takes the touch, and does nothing.
    pub(crate) fn enable(&mut self, placed: PlacedNode, enabled: bool) -> PlacedNode {
        if let Some(node) = placed.0.filter(|_| !enabled) {
            self.nodes[node as usize].flags.remove(NodeFlags::ENABLED);
        }
        placed
    }

    fn two_state(
        &mut self,
        class: &'static str,
        id: impl IntoText,
        label: impl IntoText,
        on: bool,
        tap: impl Into<M>,
    ) -> PlacedNode {
        let checked = if on {
            NodeFlags::CHECKED
        } else {
            NodeFlags::empty()
        };
        let flags = checked | NodeFlags::CHECKABLE | NodeFlags::CLICKABLE;
        let placed = self.leaf(class, id, label, BUTTON, flags);
        self.tap(placed, tap)
    }

    pub(super) fn leaf(
        &mut self,
        class: &'static str,
        id: impl IntoText,
        text: impl IntoText,
        height: i32,
        flags: NodeFlags,
    ) -> PlacedNode {
        let Some(place) = self.place(height) else {
            return PlacedNode(None);
        };
        PlacedNode(Some(self.push(
            class,
            id.into_text(),
            text.into_text(),
            place.visible,
            flags,
        )))
    }

    pub(super) fn image_button(
        &mut self,
        id: impl IntoText,
        description: impl IntoText,
    ) -> PlacedNode {
        let placed = self.leaf(
            "android.widget.ImageButton",
            id,
            "",
            TOOLBAR,
            NodeFlags::CLICKABLE,
        );
        self.describe(placed, description)
    }

    pub(super) fn tap(&mut self, placed: PlacedNode, tap: impl Into<M>) -> PlacedNode {
        self.add_handler(placed, NodeHandler::Tap(tap.into()))
    }

    pub(super) fn add_handler(&mut self, placed: PlacedNode, does: NodeHandler<M>) -> PlacedNode {
        if let Some(node) = placed.0 {
            self.handlers.push((node, does));
        }
        placed
    }

    pub(super) fn mark(&mut self, placed: PlacedNode, flags: NodeFlags) {
        if let Some(node) = placed.0 {
            self.nodes[node as usize].flags.insert(flags);
        }
    }

    pub(super) fn describe(
        &mut self,
        placed: PlacedNode,
        description: impl IntoText,
    ) -> PlacedNode {
        if let Some(node) = placed.0 {
            self.nodes[node as usize].description = description.into_text();
        }
        placed
    }
}
