//! The messages of a folder: loading, reading, selecting, and new ones that arrive.

use retap_shared::Text;
use retap_shared::micros::Micros;

use super::failures::SELECTION_LOST;
use super::loading::Loading;
use super::post::{INBOX, Message, TRASH};
use super::{Branch, Mail, Page, compose, folders, message, search, settings};
use crate::kit::{Cx, Ui, number};
use crate::plan;

#[derive(Clone, Debug, Hash)]
pub(super) struct Inbox {
    folder: Text,
    loading: Loading,
    /// How many rows have been fetched.
    fetched: usize,
    /// Numbers of messages.
    selected: Vec<usize>,
    offers: bool,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum Msg {
    Tick,
    Refresh,
    More,
    Open(usize),
    Select(usize),
    Unselect,
    DeleteSelected,
    Compose,
    Folders,
    Search,
    Settings,
    Others,
    Offer,
    Accept,
    Decline,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Inbox(msg)
    }
}

impl Default for Inbox {
    fn default() -> Inbox {
        Inbox::of(INBOX)
    }
}

/// How long after coming back notifications are offered.
const OFFER: Micros = Micros::from_millis(700);
const PAGE: usize = 10;

impl Inbox {
    pub(super) fn of(folder: Text) -> Inbox {
        Inbox {
            folder,
            loading: Loading::Begun,
            fetched: PAGE,
            selected: Vec::new(),
            offers: false,
        }
    }

    pub(super) fn view(&self, app: &Mail, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar(&self.folder, |ui| {
            ui.menu(|menu| {
                menu.item(id!("refresh"), "Refresh", Msg::Refresh);
                menu.item(id!("folders"), "Folders", Msg::Folders);
                menu.item(id!("search"), "Search", Msg::Search);
                menu.item(id!("settings"), "Settings", Msg::Settings);
                menu.item(id!("more"), "More", Msg::Others);
            });
            ui.action(id!("compose"), "Write", Msg::Compose);
        });
        if !self.loading.view(ui, Msg::Refresh) {
            return;
        }
        if !self.selected.is_empty() {
            ui.at_bottom(132, |ui| {
                ui.columns(2, |ui| {
                    ui.button(id!("delete_selected"), "Delete", Msg::DeleteSelected);
                    ui.button(id!("unselect"), "Cancel", Msg::Unselect);
                });
            });
        }
        self.view_messages(app, ui);
        if self.offers {
            ui.stubborn_dialog("Notifications", |ui| {
                ui.message("May we tell you when mail arrives?");
                ui.columns(2, |ui| {
                    ui.negative("No", Msg::Decline);
                    ui.positive("Yes", Msg::Accept);
                });
            });
        }
    }

    fn view_messages(&self, app: &Mail, ui: &mut Ui<'_, super::Msg>) {
        let in_folder: Vec<usize> = self.messages(app).take(self.fetched).collect();
        let list = ui.list(id!("messages"), in_folder.len(), |ui, row| {
            let place = in_folder[row];
            let message = &app.messages[place];
            ui.item(id!("message"), Msg::Open(place), |ui| {
                ui.at_right(|ui| {
                    let selected = self.selected.contains(&place);
                    ui.check(id!("select"), "", selected, Msg::Select(place));
                });
                ui.text(id!("from"), &message.from);
                ui.text(
                    if message.unread {
                        id!("unread")
                    } else {
                        id!("subject")
                    },
                    &message.subject,
                );
            });
        });
        ui.at_end(list, Msg::More);
    }

    fn messages(&self, app: &Mail) -> impl Iterator<Item = usize> {
        (0..app.messages.len()).filter(move |place| app.messages[*place].folder == self.folder)
    }

    pub(super) fn load(&mut self, cx: &mut Cx<'_, Mail>) {
        cx.unpost();
        self.loading = Loading::begin(Msg::Tick, cx);
    }

    pub(super) fn update(&mut self, app: &mut Mail, msg: Msg, cx: &mut Cx<'_, Mail>) {
        match msg {
            Msg::Tick => self.loading = self.loading.went_on(Msg::Tick, cx),
            Msg::Refresh => {
                self.selected.clear();
                self.arrive(app, cx);
                self.load(cx);
            }
            Msg::More => {
                let more = self.messages(app).count() > self.fetched;
                if cx.decide(Branch::InboxLoadsMore, more) {
                    self.fetched += PAGE;
                }
            }
            Msg::Open(place) => cx.start(Page::Message(message::Reading::of(place))),
            Msg::Select(place) => self.select(place, cx),
            Msg::Unselect => self.selected.clear(),
            Msg::DeleteSelected => self.delete_selected(app, cx),
            Msg::Compose => {
                cx.decide(Branch::InboxDraftKept, app.draft.is_some());
                cx.start(Page::Compose(compose::Compose::of(app.draft.take())));
            }
            Msg::Folders => cx.start(Page::Folders(folders::Folders::default())),
            Msg::Search => cx.start(Page::Search(search::Search::default())),
            Msg::Settings => cx.start(Page::Settings(settings::Settings::default())),
            Msg::Others => cx.start(Page::More(plan::Page::of(0))),
            Msg::Offer => self.offers = true,
            Msg::Accept | Msg::Decline => {
                let accepted = matches!(msg, Msg::Accept);
                app.settings.notifications = cx.decide(Branch::InboxAcceptsNotifications, accepted);
                self.offers = false;
            }
        }
    }

    /// Every second time one looks there is something new.
    fn arrive(&self, app: &mut Mail, cx: &mut Cx<'_, Mail>) {
        app.arrived += 1;
        if cx.decide(Branch::InboxNewMail, app.arrived % 2 == 1) {
            app.messages.insert(
                0,
                Message {
                    from: Text::new_static("Newsletter"),
                    subject: number("Issue ", u64::from(app.arrived), ""),
                    folder: INBOX,
                    unread: true,
                    starred: false,
                    attached: &[],
                },
            );
        }
    }

    fn select(&mut self, place: usize, cx: &mut Cx<'_, Mail>) {
        let is_selected = self.selected.contains(&place);
        if cx.decide(Branch::InboxSelects, !is_selected) {
            self.selected.push(place);
            self.selected.sort_unstable();
        } else {
            self.selected.retain(|selected| *selected != place);
        }
        cx.decide(Branch::InboxSelectionMany, self.selected.len() > 2);
    }

    fn delete_selected(&mut self, app: &mut Mail, cx: &mut Cx<'_, Mail>) {
        for place in self.selected.drain(..) {
            let Some(message) = app.messages.get_mut(place) else {
                continue;
            };
            cx.decide(Branch::InboxDeletesUnread, message.unread);
            message.folder = TRASH;
        }
    }

    pub(super) fn resumed(&mut self, app: &mut Mail, cx: &mut Cx<'_, Mail>) {
        if cx.decide(
            Branch::InboxOffersNotifications,
            app.read >= 2 && !app.offered,
        ) {
            app.offered = true;
            cx.post(OFFER, Msg::Offer);
        }
    }

    /// The bar for what is selected is restored before the list is there.
    pub(super) fn rotated(&mut self, cx: &mut Cx<'_, Mail>) {
        if cx.decide(Branch::InboxRotatedSelecting, !self.selected.is_empty()) {
            return cx.throw(
                &SELECTION_LOST,
                "Inconsistency detected. Invalid item position 0(offset:0).state:0",
            );
        }
        self.load(cx);
    }
}
