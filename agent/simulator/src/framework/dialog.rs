//! Windows above the activity: dialogs and the options menu. Unexpected dialogs are in `late_dialog`.

use retap_shared::Text;
use retap_shared::geometry::Rect;
use retap_shared::screen::{NodeFlags, WindowKind};

use super::drawn_screen::{NodeHandler, WindowCancel};
use super::ui::{STATUS_BAR, Ui, display_size, is_landscape};
use super::widgets::{BUTTON, PlacedNode, TOOLBAR};
use super::{IntoText, keyboard};

const TITLE: i32 = 108;

impl<M> Ui<'_, M> {
    /// A dialog. Back and a touch beside it send `cancel`.
    pub(crate) fn dialog(
        &mut self,
        title: impl IntoText,
        cancel: impl Into<M>,
        fill: impl FnOnce(&mut Self),
    ) {
        self.alert(title.into_text(), WindowCancel::Msg(cancel.into()), fill);
    }

    /// A dialog that only its own buttons close.
    pub(crate) fn uncancellable_dialog(
        &mut self,
        title: impl IntoText,
        fill: impl FnOnce(&mut Self),
    ) {
        self.alert(title.into_text(), WindowCancel::Never, fill);
    }

    /// A dialog of the system's, in a window of another package: only its own buttons close it.
    pub(crate) fn consent_dialog(&mut self, title: impl IntoText, fill: impl FnOnce(&mut Self)) {
        self.alert(title.into_text(), WindowCancel::Never, fill);
        self.window_of(Text::new_static("com.android.permissioncontroller"));
    }

    pub(crate) fn message(&mut self, text: impl IntoText) {
        self.text("android:id/message", text);
    }

    /// One of several things to choose from.
    pub(crate) fn choice(
        &mut self,
        label: impl IntoText,
        chosen: bool,
        tap: impl Into<M>,
    ) -> PlacedNode {
        let checked = if chosen {
            NodeFlags::CHECKED
        } else {
            NodeFlags::empty()
        };
        let flags = checked | NodeFlags::CLICKABLE | NodeFlags::CHECKABLE;
        let class = "android.widget.CheckedTextView";
        let placed = self.leaf(class, "android:id/text1", label, BUTTON, flags);
        self.tap(placed, tap)
    }

    pub(crate) fn positive(&mut self, label: impl IntoText, tap: impl Into<M>) -> PlacedNode {
        self.button("android:id/button1", label, tap)
    }

    pub(crate) fn negative(&mut self, label: impl IntoText, tap: impl Into<M>) -> PlacedNode {
        self.button("android:id/button2", label, tap)
    }

    /// The activity's options menu. `fill` is asked for its items only while it is open.
    pub(crate) fn menu(&mut self, fill: impl FnOnce(&mut MenuItems<M>)) {
        let mut menu = MenuItems(Vec::new());
        if self.frame.menu_open {
            fill(&mut menu);
        }
        self.menu = Some(menu.0);
        let overflow = self.image_button("", "More options");
        self.add_handler(overflow, NodeHandler::Menu);
    }

    pub(super) fn popup_menu(&mut self, items: Vec<(Text, Text, M)>) {
        let size = display_size(self.frame.rotation);
        let width = size.width as i32;
        // Items that do not fit are not visible.
        let bottom = (STATUS_BAR + BUTTON * items.len() as i32).min(size.height as i32);
        let bounds = Rect {
            left: width - 600,
            top: STATUS_BAR,
            right: width,
            bottom,
        };
        self.open_window(
            WindowKind::Popup,
            Text::new_static("PopupWindow"),
            bounds,
            WindowCancel::Menu,
        );
        for (id, label, msg) in items {
            let placed = self.leaf(
                "android.widget.TextView",
                id,
                label,
                BUTTON,
                NodeFlags::CLICKABLE,
            );
            self.tap(placed, msg);
        }
    }

    pub(super) fn alert(
        &mut self,
        title: Text,
        cancel: WindowCancel<M>,
        fill: impl FnOnce(&mut Self),
    ) {
        let size = display_size(self.frame.rotation);
        let landscape = is_landscape(self.frame.rotation);
        let (side, top) = if landscape {
            (360, STATUS_BAR + 12)
        } else {
            (90, STATUS_BAR + 2 * TOOLBAR)
        };
        let keyboard = self
            .frame
            .focus
            .map_or(0, |_| keyboard::height(self.frame.rotation));
        let bottom = size.height as i32 - 24 - keyboard;
        let bounds = Rect {
            left: side,
            top,
            right: size.width as i32 - side,
            bottom,
        };
        self.open_window(WindowKind::Dialog, title.clone(), bounds, cancel);
        self.leaf(
            "android.widget.TextView",
            "android:id/alertTitle",
            title,
            TITLE,
            NodeFlags::empty(),
        );
        fill(self);
        self.shrink_window(self.area.top.min(bounds.bottom));
    }
}

/// The items of an options menu, while it is filled.
#[derive(Debug)]
pub(crate) struct MenuItems<M>(Vec<(Text, Text, M)>);

impl<M> MenuItems<M> {
    pub(crate) fn item(&mut self, id: impl IntoText, label: impl IntoText, tap: impl Into<M>) {
        self.0.push((id.into_text(), label.into_text(), tap.into()));
    }
}
