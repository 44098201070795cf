//! Unexpected late dialogs: a request for a rating, an update, an advertisement.

use retap_shared::Text;
use retap_shared::geometry::Rect;
use retap_shared::screen::{NodeFlags, WindowKind};

use super::ExternalScreen;
use super::drawn_screen::{NodeHandler, WindowCancel};
use super::ui::{Ui, display_size};
use super::widgets::{BUTTON, TOOLBAR};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LateDialog {
    RateApp,
    Update,
    Advertisement,
}

impl LateDialog {
    pub(crate) const ALL: [LateDialog; 3] = [
        LateDialog::RateApp,
        LateDialog::Update,
        LateDialog::Advertisement,
    ];
}

const STORE: Option<ExternalScreen> = Some(ExternalScreen::Store);

impl<M> Ui<'_, M> {
    pub(super) fn late_dialog(&mut self, late: LateDialog) {
        match late {
            LateDialog::RateApp => {
                self.offer_dialog(
                    "Enjoying this app?",
                    "Tell others what you think of it.",
                    ("Rate it", None),
                );
            }
            LateDialog::Update => {
                let message = "A newer version of this app is there.";
                self.offer_dialog("Update available", message, ("Update", STORE));
            }
            LateDialog::Advertisement => self.advertisement(),
        }
    }

    fn offer_dialog(
        &mut self,
        title: &'static str,
        message: &'static str,
        yes: (&'static str, Option<ExternalScreen>),
    ) {
        self.alert(Text::new_static(title), WindowCancel::LateDialog, |ui| {
            ui.message(message);
            ui.columns(2, |ui| {
                let buttons = [
                    ("android:id/button1", yes),
                    ("android:id/button2", ("Later", None)),
                ];
                for (id, (label, leaves)) in buttons {
                    let placed = ui.leaf(
                        "android.widget.Button",
                        id,
                        label,
                        BUTTON,
                        NodeFlags::CLICKABLE,
                    );
                    ui.add_handler(placed, NodeHandler::DismissLateDialog(leaves));
                }
            });
        });
    }

    /// A full-screen picture without text, and a small cross to close it.
    fn advertisement(&mut self) {
        let size = display_size(self.frame.rotation);
        let bounds = Rect {
            left: 0,
            top: 0,
            right: size.width as i32,
            bottom: size.height as i32,
        };
        self.open_window(
            WindowKind::Dialog,
            Text::new_static("AdActivity"),
            bounds,
            WindowCancel::LateDialog,
        );
        let whole = Text::default();
        let picture = self.push(
            "android.webkit.WebView",
            whole.clone(),
            whole,
            bounds,
            NodeFlags::CLICKABLE,
        );
        self.add_handler(
            super::widgets::PlacedNode(Some(picture)),
            NodeHandler::DismissLateDialog(Some(ExternalScreen::Browser)),
        );
        self.area.left = bounds.right - TOOLBAR;
        let close = self.image_button("", "Close");
        self.add_handler(close, NodeHandler::DismissLateDialog(None));
    }
}
