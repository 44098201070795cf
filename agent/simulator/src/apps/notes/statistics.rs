//! Counts of everything.

use retap_shared::Text;

use super::failures::UNKNOWN_TAG;
use super::{Branch, NotesApp};
use crate::framework::{AppContext, Ui, number_text};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct StatisticsPage {
    words: u64,
    starred: u64,
    /// For each tag how many notes have it.
    by_tag: Vec<(Text, u64)>,
    details: bool,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum StatisticsMsg {
    Details,
    Recount,
}

impl From<StatisticsMsg> for super::NotesMsg {
    fn from(msg: StatisticsMsg) -> super::NotesMsg {
        super::NotesMsg::Statistics(msg)
    }
}

impl StatisticsPage {
    pub(super) fn view(&self, app: &NotesApp, ui: &mut Ui<'_, super::NotesMsg>) {
        ui.toolbar("Statistics", |ui| {
            ui.toolbar_action(id!("recount"), "Count again", StatisticsMsg::Recount);
        });
        ui.text(
            id!("total"),
            number_text("", app.notes.len() as u64, " notes"),
        );
        ui.text(id!("words"), number_text("", self.words, " words"));
        ui.check(
            id!("details"),
            "By tag",
            self.details,
            StatisticsMsg::Details,
        );
        if self.details {
            ui.text(
                id!("starred_count"),
                number_text("", self.starred, " starred"),
            );
            for (tag, count) in &self.by_tag {
                ui.text(id!("tag_count"), number_text(tag, *count, " times"));
            }
        }
    }

    pub(super) fn update(
        &mut self,
        app: &mut NotesApp,
        msg: StatisticsMsg,
        cx: &mut AppContext<'_, NotesApp>,
    ) {
        match msg {
            StatisticsMsg::Details => self.details = !self.details,
            StatisticsMsg::Recount => self.count(app, cx),
        }
    }

    /// A note may have a tag that was deleted since.
    pub(super) fn count(&mut self, app: &NotesApp, cx: &mut AppContext<'_, NotesApp>) {
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
