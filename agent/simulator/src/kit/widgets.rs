//! Widgets: what an app puts into its containers.

use retap_shared::Text;
use retap_shared::screen::{NodeFlags, Rect};

use super::Words;
use super::built::{Does, Edit};
use super::ui::{Flow, Ui};

pub(super) const TOOLBAR: i32 = 147;
pub(super) const BUTTON: i32 = 132;
const TEXT: i32 = 66;
const FIELD: i32 = 132;
const PICTURE: i32 = 300;
pub(super) const ROW: i32 = 192;

/// The node that a widget became; none if it is out of sight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed(pub(super) Option<u32>);

impl<M> Ui<'_, M> {
    pub(crate) fn text(&mut self, id: impl Words, text: impl Words) -> Placed {
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
        id: impl Words,
        label: impl Words,
        tap: impl Into<M>,
    ) -> Placed {
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
        id: impl Words,
        description: impl Words,
        tap: impl Into<M>,
    ) -> Placed {
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

    pub(crate) fn progress(&mut self, id: impl Words, text: impl Words) -> Placed {
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
        id: impl Words,
        label: impl Words,
        on: bool,
        tap: impl Into<M>,
    ) -> Placed {
        self.two_state("android.widget.CheckBox", id, label, on, tap)
    }

    pub(crate) fn switch(
        &mut self,
        id: impl Words,
        label: impl Words,
        on: bool,
        tap: impl Into<M>,
    ) -> Placed {
        self.two_state("android.widget.Switch", id, label, on, tap)
    }

    pub(crate) fn radio(
        &mut self,
        id: impl Words,
        label: impl Words,
        on: bool,
        tap: impl Into<M>,
    ) -> Placed {
        self.two_state("android.widget.RadioButton", id, label, on, tap)
    }

    /// A text field. `edit` makes a message of its new content.
    pub(crate) fn field(
        &mut self,
        id: impl Words,
        hint: impl Words,
        value: &Text,
        edit: fn(Text) -> M,
    ) -> Placed {
        let edit = Edit::Of(edit);
        self.edit_text(
            id.words(),
            hint.words(),
            value.clone(),
            value.clone(),
            NodeFlags::empty(),
            edit,
        )
    }

    /// One of several text fields that share a message.
    pub(crate) fn numbered_field(
        &mut self,
        id: impl Words,
        hint: impl Words,
        value: &Text,
        number: u8,
        edit: fn(u8, Text) -> M,
    ) -> Placed {
        let edit = Edit::Numbered(number, edit);
        self.edit_text(
            id.words(),
            hint.words(),
            value.clone(),
            value.clone(),
            NodeFlags::empty(),
            edit,
        )
    }

    /// A text field that shows dots.
    pub(crate) fn password(
        &mut self,
        id: impl Words,
        hint: impl Words,
        value: &Text,
        edit: fn(Text) -> M,
    ) -> Placed {
        let dots = value.chars().map(|_| '•').collect();
        let edit = Edit::Of(edit);
        self.edit_text(
            id.words(),
            hint.words(),
            dots,
            value.clone(),
            NodeFlags::PASSWORD,
            edit,
        )
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
            place.seen,
            NodeFlags::empty(),
        );
        self.inside(
            place.whole,
            Flow::Across(place.whole.width() / count.max(1)),
            fill,
        );
    }

    /// A row that can be tapped, with widgets in it.
    pub(crate) fn item(
        &mut self,
        id: impl Words,
        tap: impl Into<M>,
        fill: impl FnOnce(&mut Self),
    ) -> Placed {
        let Some(place) = self.place(ROW) else {
            return Placed(None);
        };
        let class = "android.widget.LinearLayout";
        let flags = NodeFlags::CLICKABLE;
        let placed = Placed(Some(self.push(
            class,
            id.words(),
            Text::default(),
            place.seen,
            flags,
        )));
        self.tap(placed, tap);
        let Rect {
            left,
            top,
            right,
            bottom,
        } = place.whole;
        let area = Rect {
            left: left + 48,
            top: top + 24,
            right: right - 24,
            bottom: bottom - 24,
        };
        self.inside(area, Flow::Down, fill);
        placed
    }

    /// One widget at the right edge of a row.
    pub(crate) fn at_right(&mut self, fill: impl FnOnce(&mut Self)) {
        let outer = (self.area, self.flow);
        self.flow = Flow::Leftwards(TOOLBAR);
        fill(self);
        let right = self.area.right;
        (self.area, self.flow) = outer;
        self.area.right = right;
    }

    /// The bar at the top: the way up where there is one, the title, and what `fill` adds at its right.
    pub(crate) fn toolbar(&mut self, title: impl Words, fill: impl FnOnce(&mut Self)) {
        let Some(place) = self.place(TOOLBAR) else {
            return;
        };
        let none = Text::default();
        self.push(
            "android.widget.Toolbar",
            none.clone(),
            none,
            place.seen,
            NodeFlags::empty(),
        );
        let first = self.frame.first;
        self.inside(place.whole, Flow::Across(TOOLBAR), |ui| {
            if !first {
                let up = ui.image_button("", "Navigate up");
                ui.on(up, Does::Up);
            }
            let none = Text::default();
            let title = ui.push(
                "android.widget.TextView",
                none,
                title.words(),
                ui.area,
                NodeFlags::empty(),
            );
            ui.flow = Flow::Leftwards(TOOLBAR);
            fill(ui);
            ui.nodes[title as usize].bounds.right = ui.area.right;
        });
    }

    /// A picture to tap, in a toolbar or at the right of a row.
    pub(crate) fn action(
        &mut self,
        id: impl Words,
        description: impl Words,
        tap: impl Into<M>,
    ) -> Placed {
        let placed = self.image_button(id, description);
        self.tap(placed, tap)
    }

    /// One of several that share a line; the chosen one is selected.
    pub(crate) fn tab(
        &mut self,
        id: impl Words,
        label: impl Words,
        chosen: bool,
        tap: impl Into<M>,
    ) -> Placed {
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

    /// Whether it is ticked is the app's `ticked`, and nothing else on the screen depends on it.
    pub(crate) fn ticked_by(&mut self, placed: Placed, tick: u16) {
        self.ticks.extend(placed.0.map(|node| (node, tick)));
    }

    /// What a long press on it does.
    pub(crate) fn long(&mut self, placed: Placed, long: impl Into<M>) -> Placed {
        self.mark(placed, NodeFlags::LONG_CLICKABLE);
        self.on(placed, Does::Long(long.into()))
    }

    /// What the keyboard's Enter does in this field.
    pub(crate) fn submit(&mut self, placed: Placed, submit: impl Into<M>) -> Placed {
        self.on(placed, Does::Submit(submit.into()))
    }

    /// Greys it out unless `enabled`: it still takes the touch, and does nothing.
    pub(crate) fn enable(&mut self, placed: Placed, enabled: bool) -> Placed {
        if let Some(node) = placed.0.filter(|_| !enabled) {
            self.nodes[node as usize].flags.remove(NodeFlags::ENABLED);
        }
        placed
    }

    fn two_state(
        &mut self,
        class: &'static str,
        id: impl Words,
        label: impl Words,
        on: bool,
        tap: impl Into<M>,
    ) -> Placed {
        let checked = if on {
            NodeFlags::CHECKED
        } else {
            NodeFlags::empty()
        };
        let flags = checked | NodeFlags::CHECKABLE | NodeFlags::CLICKABLE;
        let placed = self.leaf(class, id, label, BUTTON, flags);
        self.tap(placed, tap)
    }

    fn edit_text(
        &mut self,
        id: Text,
        hint: Text,
        shown: Text,
        value: Text,
        flags: NodeFlags,
        edit: Edit<M>,
    ) -> Placed {
        let focused = self.frame.focus == Some(&id);
        let top = self.area.top;
        let flags = flags | NodeFlags::CLICKABLE | NodeFlags::EDITABLE;
        let placed = self.leaf("android.widget.EditText", id, shown, FIELD, flags);
        self.describe(placed, hint);
        if focused {
            self.mark(placed, NodeFlags::FOCUSED);
            self.focused = Some((self.window(), placed.0));
            if self.frame.reveal {
                let above = top - self.clip.top;
                let below = top + FIELD - self.clip.bottom;
                self.hidden_by = if below > 0 {
                    below.min(above)
                } else {
                    above.min(0)
                };
            }
        }
        self.on(placed, Does::Edit { edit, value })
    }

    pub(super) fn leaf(
        &mut self,
        class: &'static str,
        id: impl Words,
        text: impl Words,
        height: i32,
        flags: NodeFlags,
    ) -> Placed {
        let Some(place) = self.place(height) else {
            return Placed(None);
        };
        Placed(Some(self.push(
            class,
            id.words(),
            text.words(),
            place.seen,
            flags,
        )))
    }

    pub(super) fn image_button(&mut self, id: impl Words, description: impl Words) -> Placed {
        let placed = self.leaf(
            "android.widget.ImageButton",
            id,
            "",
            TOOLBAR,
            NodeFlags::CLICKABLE,
        );
        self.describe(placed, description)
    }

    pub(super) fn tap(&mut self, placed: Placed, tap: impl Into<M>) -> Placed {
        self.on(placed, Does::Tap(tap.into()))
    }

    pub(super) fn on(&mut self, placed: Placed, does: Does<M>) -> Placed {
        if let Some(node) = placed.0 {
            self.does.push((node, does));
        }
        placed
    }

    pub(super) fn mark(&mut self, placed: Placed, flags: NodeFlags) {
        if let Some(node) = placed.0 {
            self.nodes[node as usize].flags.insert(flags);
        }
    }

    fn describe(&mut self, placed: Placed, description: impl Words) -> Placed {
        if let Some(node) = placed.0 {
            self.nodes[node as usize].description = description.words();
        }
        placed
    }
}
