//! Widgets that defy a reader of the tree: pages of the web without nodes, and what never rests.

use retap_shared::Text;
use retap_shared::screen::NodeFlags;

use super::Words;
use super::built::Does;
use super::ui::Ui;
use super::widgets::Placed;

impl<M> Ui<'_, M> {
    /// A page of the web in all the place that is left: one node, whatever is on it. `ninths` are the parts of it that
    /// do something, counted from the top left.
    pub(crate) fn web(&mut self, id: impl Words, ninths: Vec<(u8, M)>) -> Placed {
        let Some(view) = self.rest() else {
            return Placed(None);
        };
        let class = "android.webkit.WebView";
        let placed = Placed(Some(self.push(
            class,
            id.words(),
            Text::default(),
            view,
            NodeFlags::empty(),
        )));
        self.on(placed, Does::Web(ninths))
    }

    /// Shows how far something is that never ends: the screen is never quiet while it can be seen.
    pub(crate) fn restless(&mut self, id: impl Words) -> Placed {
        let placed = self.progress(id, "0 %");
        self.restless = self.restless.or(placed.0);
        placed
    }
}
