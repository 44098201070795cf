//! Counts of everything.

use retap_shared::Text;

use super::failures::UNKNOWN_TAG;
use super::{Branch, Notes};
use crate::kit::{Cx, Ui, number};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Statistics {
    words: u64,
    starred: u64,
    /// For each tag how many notes have it.
    by_tag: Vec<(Text, u64)>,
    details: bool,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum Msg {
    Details,
    Recount,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Statistics(msg)
    }
}

impl Statistics {
    pub(super) fn view(&self, app: &Notes, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Statistics", |ui| {
            ui.action(id!("recount"), "Count again", Msg::Recount);
        });
        ui.text(id!("total"), number("", app.notes.len() as u64, " notes"));
        ui.text(id!("words"), number("", self.words, " words"));
        ui.check(id!("details"), "By tag", self.details, Msg::Details);
        if self.details {
            ui.text(id!("starred_count"), number("", self.starred, " starred"));
            for (tag, count) in &self.by_tag {
                ui.text(id!("tag_count"), number(tag, *count, " times"));
            }
        }
    }

    pub(super) fn update(&mut self, app: &mut Notes, msg: Msg, cx: &mut Cx<'_, Notes>) {
        match msg {
            Msg::Details => self.details = !self.details,
            Msg::Recount => self.count(app, cx),
        }
    }

    /// A note may have a tag that was deleted since.
    pub(super) fn count(&mut self, app: &Notes, cx: &mut Cx<'_, Notes>) {
        self.by_tag = app.tags.iter().map(|tag| (tag.clone(), 0)).collect();
        for tag in app.notes.iter().filter_map(|note| note.tag.as_ref()) {
            let counted = self.by_tag.iter_mut().find(|(known, _)| known == tag);
            if !cx.decide(Branch::StatisticsTagKnown, counted.is_some()) {
                return cx.throw(&UNKNOWN_TAG, format!("Key {tag} is missing in the map."));
            }
            counted.into_iter().for_each(|(_, count)| *count += 1);
        }
        self.starred = app.notes.iter().filter(|note| note.starred).count() as u64;
        cx.decide(Branch::StatisticsAnyStarred, self.starred > 0);
        let words: usize = app
            .notes
            .iter()
            .map(|note| note.body.split_whitespace().count())
            .sum();
        cx.decide(Branch::StatisticsMoreWords, words as u64 > self.words);
        self.words = words as u64;
    }
}
