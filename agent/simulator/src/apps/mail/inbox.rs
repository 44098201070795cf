//! The messages of a folder: loading, reading, selecting, and new ones that arrive.

use retap_shared::Text;
use retap_shared::micros::Micros;

use super::failures::SELECTION_LOST;
use super::loading::LoadingState;
use super::mailbox::{INBOX, MailMessage, TRASH};
use super::{Branch, MailApp, MailPage, compose, folders, message, search, settings};
use crate::declarative;
use crate::framework::{AppContext, Ui, number_text};

#[derive(Clone, Debug, Hash)]
pub(super) struct InboxPage {
    folder: Text,
    loading: LoadingState,
    /// Number of rows fetched.
    fetched: usize,
    /// Numbers of messages.
    selected: Vec<usize>,
    offers: bool,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum InboxMsg {
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

impl From<InboxMsg> for super::MailMsg {
    fn from(msg: InboxMsg) -> super::MailMsg {
        super::MailMsg::Inbox(msg)
    }
}

impl Default for InboxPage {
    fn default() -> InboxPage {
        InboxPage::of(INBOX)
    }
}

/// Delay until notifications are offered after a return.
const OFFER: Micros = Micros::from_millis(700);
const PAGE: usize = 10;

impl InboxPage {
    pub(super) fn of(folder: Text) -> InboxPage {
        InboxPage {
            folder,
            loading: LoadingState::Begun,
            fetched: PAGE,
            selected: Vec::new(),
            offers: false,
        }
    }

    pub(super) fn view(&self, app: &MailApp, ui: &mut Ui<'_, super::MailMsg>) {
        ui.toolbar(&self.folder, |ui| {
            ui.menu(|menu| {
                menu.item(id!("refresh"), "Refresh", InboxMsg::Refresh);
                menu.item(id!("folders"), "Folders", InboxMsg::Folders);
                menu.item(id!("search"), "Search", InboxMsg::Search);
                menu.item(id!("settings"), "Settings", InboxMsg::Settings);
                menu.item(id!("more"), "More", InboxMsg::Others);
            });
            ui.toolbar_action(id!("compose"), "Write", InboxMsg::Compose);
        });
        if !self.loading.view(ui, InboxMsg::Refresh) {
            return;
        }
        if !self.selected.is_empty() {
            ui.at_bottom(132, |ui| {
                ui.columns(2, |ui| {
                    ui.button(id!("delete_selected"), "Delete", InboxMsg::DeleteSelected);
                    ui.button(id!("unselect"), "Cancel", InboxMsg::Unselect);
                });
            });
        }
        self.view_messages(app, ui);
        if self.offers {
            ui.uncancellable_dialog("Notifications", |ui| {
                ui.message("May we tell you when mail arrives?");
                ui.columns(2, |ui| {
                    ui.negative("No", InboxMsg::Decline);
                    ui.positive("Yes", InboxMsg::Accept);
                });
            });
        }
    }

    fn view_messages(&self, app: &MailApp, ui: &mut Ui<'_, super::MailMsg>) {
        let in_folder: Vec<usize> = self.messages(app).take(self.fetched).collect();
        let list = ui.list(id!("messages"), in_folder.len(), |ui, row| {
            let place = in_folder[row];
            let message = &app.messages[place];
            ui.item(id!("message"), InboxMsg::Open(place), |ui| {
                ui.at_right(|ui| {
                    let selected = self.selected.contains(&place);
                    ui.check(id!("select"), "", selected, InboxMsg::Select(place));
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
        ui.at_end(list, InboxMsg::More);
    }

    fn messages(&self, app: &MailApp) -> impl Iterator<Item = usize> {
        (0..app.messages.len()).filter(move |place| app.messages[*place].folder == self.folder)
    }

    pub(super) fn load(&mut self, cx: &mut AppContext<'_, MailApp>) {
        cx.cancel_posted();
        self.loading = LoadingState::begin(InboxMsg::Tick, cx);
    }

    pub(super) fn update(
        &mut self,
        app: &mut MailApp,
        msg: InboxMsg,
        cx: &mut AppContext<'_, MailApp>,
    ) {
        match msg {
            InboxMsg::Tick => self.loading = self.loading.advance(InboxMsg::Tick, cx),
            InboxMsg::Refresh => {
                self.selected.clear();
                self.arrive(app, cx);
                self.load(cx);
            }
            InboxMsg::More => {
                let more = self.messages(app).count() > self.fetched;
                if cx.decide(Branch::InboxLoadsMore, more) {
                    self.fetched += PAGE;
                }
            }
            InboxMsg::Open(place) => cx.start(MailPage::Message(message::MessagePage::of(place))),
            InboxMsg::Select(place) => self.select(place, cx),
            InboxMsg::Unselect => self.selected.clear(),
            InboxMsg::DeleteSelected => self.delete_selected(app, cx),
            InboxMsg::Compose => {
                cx.decide(Branch::InboxDraftKept, app.draft.is_some());
                cx.start(MailPage::Compose(compose::ComposePage::of(
                    app.draft.take(),
                )));
            }
            InboxMsg::Folders => cx.start(MailPage::Folders(folders::FoldersPage::default())),
            InboxMsg::Search => cx.start(MailPage::Search(search::MailSearchPage::default())),
            InboxMsg::Settings => {
                cx.start(MailPage::Settings(settings::MailSettingsPage::default()));
            }
            InboxMsg::Others => cx.start(MailPage::More(declarative::DeclarativePage::of(0))),
            InboxMsg::Offer => self.offers = true,
            InboxMsg::Accept | InboxMsg::Decline => {
                let accepted = matches!(msg, InboxMsg::Accept);
                app.settings.notifications = cx.decide(Branch::InboxAcceptsNotifications, accepted);
                self.offers = false;
            }
        }
    }

    /// Every second refresh brings a new message.
    fn arrive(&self, app: &mut MailApp, cx: &mut AppContext<'_, MailApp>) {
        app.arrived += 1;
        if cx.decide(Branch::InboxNewMail, app.arrived % 2 == 1) {
            app.messages.insert(
                0,
                MailMessage {
                    from: Text::new_static("Newsletter"),
                    subject: number_text("Issue ", u64::from(app.arrived), ""),
                    folder: INBOX,
                    unread: true,
                    starred: false,
                    attached: &[],
                },
            );
        }
    }

    fn select(&mut self, place: usize, cx: &mut AppContext<'_, MailApp>) {
        let is_selected = self.selected.contains(&place);
        if cx.decide(Branch::InboxSelects, !is_selected) {
            self.selected.push(place);
            self.selected.sort_unstable();
        } else {
            self.selected.retain(|selected| *selected != place);
        }
        cx.decide(Branch::InboxSelectionMany, self.selected.len() > 2);
    }

    fn delete_selected(&mut self, app: &mut MailApp, cx: &mut AppContext<'_, MailApp>) {
        for place in self.selected.drain(..) {
            let Some(message) = app.messages.get_mut(place) else {
                continue;
            };
            cx.decide(Branch::InboxDeletesUnread, message.unread);
            message.folder = TRASH;
        }
    }

    pub(super) fn resumed(&mut self, app: &mut MailApp, cx: &mut AppContext<'_, MailApp>) {
        if cx.decide(
            Branch::InboxOffersNotifications,
            app.read >= 2 && !app.offered,
        ) {
            app.offered = true;
            cx.post(OFFER, InboxMsg::Offer);
        }
    }

    /// The bar of the selection is restored before the list.
    pub(super) fn rotated(&mut self, cx: &mut AppContext<'_, MailApp>) {
        if cx.decide(Branch::InboxRotatedSelecting, !self.selected.is_empty()) {
            return cx.throw(
                &SELECTION_LOST,
                "Inconsistency detected. Invalid item position 0(offset:0).state:0",
            );
        }
        self.load(cx);
    }
}
