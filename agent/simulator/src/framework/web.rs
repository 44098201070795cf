//! Widgets that a UI tree does not describe: web pages without nodes, and animations that never end.

use retap_shared::Text;
use retap_shared::screen::NodeFlags;

use super::IntoText;
use super::drawn_screen::NodeHandler;
use super::ui::Ui;
use super::widgets::PlacedNode;

impl<M> Ui<'_, M> {
    /// A web page in the remaining area: one node, whatever its content. `ninths` are the parts that react to a tap,
    /// counted from the top left.
    pub(crate) fn web_page(&mut self, id: impl IntoText, ninths: Vec<(u8, M)>) -> PlacedNode {
        let Some(view) = self.rest() else {
            return PlacedNode(None);
        };
        let class = "android.webkit.WebView";
        let placed = PlacedNode(Some(self.push(
            class,
            id.into_text(),
            Text::default(),
            view,
            NodeFlags::empty(),
        )));
        self.add_handler(placed, NodeHandler::Web(ninths))
    }

    /// Shows an endless progress bar: the screen never settles while it is visible.
    pub(crate) fn endless_progress(&mut self, id: impl IntoText) -> PlacedNode {
        let placed = self.progress(id, "0 %");
        self.animated_node = self.animated_node.or(placed.0);
        placed
    }
}
