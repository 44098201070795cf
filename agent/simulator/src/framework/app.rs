//! The trait of a simulated app.

use std::hash::Hash;

use retap_shared::Text;
use retap_shared::action::SystemEvent;
use retap_shared::protocol::AppInfo;
use retap_shared::trace::App as Named;

use super::{AppContext, Ui};

/// The whole state of an app as one plain value: its files and its memory.
/// The state of one activity is in that activity's `Page`.
pub(crate) trait SimulatedApp: Clone + Hash + Send + Sync + 'static {
    /// One activity with its own state.
    type Page: Clone + Hash + Send + Sync + 'static;
    type Msg: Clone + Hash + Send + Sync + 'static;

    /// The activity that the launcher starts.
    fn first_page(&self) -> Self::Page;

    /// Its number in the manifest's list.
    fn activity_index(&self, page: &Self::Page) -> usize;

    /// Lays out the activity and, above it, its dialogs. It sees nothing but the state: drawn screens are kept.
    fn view(&self, page: &Self::Page, ui: &mut Ui<'_, Self::Msg>);

    /// Equal as long as `view` draws the same apart from the checked states of `is_checked`: then only those are drawn again.
    /// `None` from an app that always draws again.
    fn view_hash(&self, _page: &Self::Page) -> Option<u64> {
        None
    }

    /// Checked state of a widget that was drawn with `checked_by`.
    fn is_checked(&self, _tick: u16) -> bool {
        false
    }

    /// Handles a touch, or a message that was posted earlier.
    fn update(&mut self, page: &mut Self::Page, msg: Self::Msg, cx: &mut AppContext<'_, Self>);

    /// The activity was created: `onCreate`.
    fn opened(&mut self, _page: &mut Self::Page, _cx: &mut AppContext<'_, Self>) {}

    /// The activity above it was closed: `onResume`.
    fn resumed(&mut self, _page: &mut Self::Page, _cx: &mut AppContext<'_, Self>) {}

    /// The activity was destroyed and created again. This resets all state that the app did not save.
    fn recreated(
        &mut self,
        _page: &mut Self::Page,
        _by: Recreation,
        _cx: &mut AppContext<'_, Self>,
    ) {
    }

    /// The activity is in front again after another app was.
    fn returned(&mut self, _page: &mut Self::Page, _cx: &mut AppContext<'_, Self>) {}

    /// Notifies the front activity of a call, of the network, or of low memory.
    fn system_event(
        &mut self,
        _page: &mut Self::Page,
        _event: &SystemEvent,
        _cx: &mut AppContext<'_, Self>,
    ) {
    }

    /// The Back key, where no keyboard, menu or dialog takes it.
    fn back(&mut self, _page: &mut Self::Page, cx: &mut AppContext<'_, Self>) {
        cx.finish();
    }

    /// A posted message whose activity has been destroyed in the meantime.
    fn leaked_message(&mut self, _msg: Self::Msg, _cx: &mut AppContext<'_, Self>) {}

    /// The app is as it was installed, and gets back what the phone keeps of it outside of its data.
    fn data_cleared(&mut self, _before: &Self) {}

    /// The process ended. This resets all state that was only in memory.
    fn process_died(&mut self) {}
}

/// Why an activity is created again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recreation {
    Rotation,
    Language,
    /// Its process had ended, after `process_died`.
    Restoring,
}

/// The app's manifest: known to the system without running the app.
#[derive(Clone, Debug)]
pub(crate) struct AppManifest {
    pub(crate) package: Text,
    pub(crate) label: Text,
    pub(crate) version_code: u64,
    /// As `package/.Class`.
    pub(crate) activities: Vec<Text>,
    pub(crate) branches: u32,
}

impl AppManifest {
    pub(crate) fn info(&self) -> AppInfo {
        AppInfo {
            app: Named {
                package: self.package.clone(),
                activity: Text::default(),
                version_code: self.version_code,
            },
            label: self.label.clone(),
            activities: self.activities.clone(),
            branches: self.branches,
        }
    }
}
