//! Text fields: focus, hints, and the messages of edits.

use retap_shared::Text;
use retap_shared::screen::NodeFlags;

use super::IntoText;
use super::drawn_screen::{EditHandler, NodeHandler};
use super::ui::Ui;
use super::widgets::PlacedNode;

const FIELD: i32 = 132;

impl<M> Ui<'_, M> {
    /// A text field. `edit` makes a message of its new content.
    pub(crate) fn field(
        &mut self,
        id: impl IntoText,
        hint: impl IntoText,
        value: &Text,
        edit: fn(Text) -> M,
    ) -> PlacedNode {
        let edit = EditHandler::Single(edit);
        self.plain_field(id.into_text(), hint.into_text(), value, edit)
    }

    /// One of several text fields that share a message.
    pub(crate) fn numbered_field(
        &mut self,
        id: impl IntoText,
        hint: impl IntoText,
        value: &Text,
        number: u8,
        edit: fn(u8, Text) -> M,
    ) -> PlacedNode {
        let edit = EditHandler::Numbered(number, edit);
        self.plain_field(id.into_text(), hint.into_text(), value, edit)
    }

    /// A text field that shows dots.
    pub(crate) fn password(
        &mut self,
        id: impl IntoText,
        hint: impl IntoText,
        value: &Text,
        edit: fn(Text) -> M,
    ) -> PlacedNode {
        let dots = value.chars().map(|_| '•').collect();
        let edit = EditHandler::Single(edit);
        self.edit_text(
            id.into_text(),
            hint.into_text(),
            dots,
            value.clone(),
            NodeFlags::PASSWORD,
            edit,
        )
    }

    fn plain_field(
        &mut self,
        id: Text,
        hint: Text,
        value: &Text,
        edit: EditHandler<M>,
    ) -> PlacedNode {
        let shown = value.clone();
        self.edit_text(id, hint, shown, value.clone(), NodeFlags::empty(), edit)
    }

    fn edit_text(
        &mut self,
        id: Text,
        hint: Text,
        shown: Text,
        value: Text,
        flags: NodeFlags,
        edit: EditHandler<M>,
    ) -> PlacedNode {
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
        self.add_handler(placed, NodeHandler::Edit { edit, value })
    }
}
