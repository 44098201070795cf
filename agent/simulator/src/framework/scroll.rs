//! Containers that show a part of their content: only visible widgets become nodes.

use retap_shared::Text;
use retap_shared::geometry::Rect;
use retap_shared::screen::NodeFlags;

use super::IntoText;
use super::drawn_screen::NodeHandler;
use super::ui::{LayoutCorrection, LayoutFlow, Ui};
use super::widgets::{PlacedNode, ROW};

impl<M> Ui<'_, M> {
    /// A list of `count` rows in the remaining area. `row` draws one of them, with `item`.
    pub(crate) fn list(
        &mut self,
        id: impl IntoText,
        count: usize,
        mut row: impl FnMut(&mut Self, usize),
    ) -> PlacedNode {
        let Some(view) = self.rest() else {
            return PlacedNode(None);
        };
        let id = id.into_text();
        let content = i32::try_from(count).unwrap_or(i32::MAX).saturating_mul(ROW);
        let max = (content - view.height()).max(0);
        let offset = self.offset(&id).min(max);
        let placed = self.scroller(
            "androidx.recyclerview.widget.RecyclerView",
            id,
            view,
            offset,
            max,
        );
        let first = (offset / ROW) as usize;
        let last = ((offset + view.height() + ROW - 1) / ROW) as usize;
        let clip = std::mem::replace(&mut self.clip, view);
        let area = Rect {
            top: view.top + first as i32 * ROW - offset,
            ..view
        };
        self.inside(area, LayoutFlow::Down, |ui| {
            (first..last.min(count)).for_each(|number| row(ui, number));
        });
        self.clip = clip;
        placed
    }

    /// Widgets below each other in the remaining area. They may be more than fit.
    pub(crate) fn scroll(&mut self, id: impl IntoText, fill: impl FnOnce(&mut Self)) {
        let Some(view) = self.rest() else { return };
        let id = id.into_text();
        let offset = self.offset(&id);
        let placed = self.scroller("android.widget.ScrollView", id.clone(), view, offset, 0);
        let clip = std::mem::replace(&mut self.clip, view);
        let top = view.top - offset;
        let area = Rect {
            left: view.left + 48,
            top,
            right: view.right - 48,
            bottom: i32::MAX,
        };
        let left = self.inside(area, LayoutFlow::Down, fill);
        self.clip = clip;
        let max = (left.top - top - view.height()).max(0);
        if max > 0 {
            self.mark(placed, NodeFlags::SCROLLABLE);
        }
        if let Some(NodeHandler::Scroll { max: known, .. }) = self.does_of(placed) {
            *known = max;
        }
        let wanted = (offset + std::mem::take(&mut self.hidden_by)).clamp(0, max);
        if wanted != offset {
            self.correction = Some(LayoutCorrection::Scroll(id, wanted));
        }
    }

    /// Pages beside each other: a swipe to either side goes to the neighbour.
    pub(crate) fn pager(
        &mut self,
        id: impl IntoText,
        previous: Option<M>,
        next: Option<M>,
        fill: impl FnOnce(&mut Self),
    ) {
        let Some(view) = self.rest() else { return };
        let flags = if previous.is_some() || next.is_some() {
            NodeFlags::SCROLLABLE
        } else {
            NodeFlags::empty()
        };
        let class = "androidx.viewpager.widget.ViewPager";
        let placed = PlacedNode(Some(self.push(
            class,
            id.into_text(),
            Text::default(),
            view,
            flags,
        )));
        self.add_handler(placed, NodeHandler::Pager { previous, next });
        self.inside(view, LayoutFlow::Down, fill);
    }

    /// Message of reaching its end.
    pub(crate) fn at_end(&mut self, list: PlacedNode, reached: impl Into<M>) {
        self.add_handler(list, NodeHandler::End(reached.into()));
    }

    /// Widgets at the bottom of the remaining area. Draw them before the list above them.
    pub(crate) fn at_bottom(&mut self, height: i32, fill: impl FnOnce(&mut Self)) {
        let outer = self.area;
        let top = (outer.bottom - height).max(outer.top);
        self.area.top = top;
        fill(self);
        self.area = Rect {
            bottom: top,
            ..outer
        };
    }

    /// The remaining area; `None` if the keyboard covers it.
    pub(super) fn rest(&mut self) -> Option<Rect> {
        let mut rest = self.area;
        rest.bottom = rest.bottom.min(self.clip.bottom);
        self.area.top = rest.bottom.max(rest.top);
        (!rest.is_empty()).then_some(rest)
    }

    fn offset(&self, id: &Text) -> i32 {
        self.frame
            .scrolls
            .iter()
            .find(|(scrolled, _)| scrolled == id)
            .map_or(0, |(_, offset)| *offset)
    }

    fn scroller(
        &mut self,
        class: &'static str,
        id: Text,
        view: Rect,
        offset: i32,
        max: i32,
    ) -> PlacedNode {
        let flags = if max > 0 {
            NodeFlags::SCROLLABLE
        } else {
            NodeFlags::empty()
        };
        let placed = PlacedNode(Some(self.push(
            class,
            id.clone(),
            Text::default(),
            view,
            flags,
        )));
        self.add_handler(placed, NodeHandler::Scroll { id, offset, max })
    }

    fn does_of(&mut self, placed: PlacedNode) -> Option<&mut NodeHandler<M>> {
        self.handlers
            .iter_mut()
            .find(|(node, _)| Some(*node) == placed.0)
            .map(|(_, does)| does)
    }
}
