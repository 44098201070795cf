//! What comes up late and unasked: a plea for stars, an update, an advertisement.

use retap_shared::Text;
use retap_shared::screen::{NodeFlags, Rect, WindowKind};

use super::Elsewhere;
use super::built::{Cancel, Does};
use super::ui::{Ui, display_size};
use super::widgets::{BUTTON, TOOLBAR};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Late {
    Stars,
    Update,
    Advertisement,
}

impl Late {
    pub(crate) const ALL: [Late; 3] = [Late::Stars, Late::Update, Late::Advertisement];
}

const STORE: Option<Elsewhere> = Some(Elsewhere::Store);

impl<M> Ui<'_, M> {
    pub(super) fn late(&mut self, late: Late) {
        match late {
            Late::Stars => {
                self.plea(
                    "Enjoying this app?",
                    "Tell others what you think of it.",
                    ("Rate it", None),
                );
            }
            Late::Update => {
                let message = "A newer version of this app is there.";
                self.plea("Update available", message, ("Update", STORE));
            }
            Late::Advertisement => self.advertisement(),
        }
    }

    fn plea(
        &mut self,
        title: &'static str,
        message: &'static str,
        yes: (&'static str, Option<Elsewhere>),
    ) {
        self.alert(Text::new_static(title), Cancel::Late, |ui| {
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
                    ui.on(placed, Does::EndLate(leaves));
                }
            });
        });
    }

    /// A picture over everything that tells a reader of the tree nothing, and a small cross.
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
            Cancel::Late,
        );
        let whole = Text::default();
        let picture = self.push(
            "android.webkit.WebView",
            whole.clone(),
            whole,
            bounds,
            NodeFlags::CLICKABLE,
        );
        self.on(
            super::widgets::Placed(Some(picture)),
            Does::EndLate(Some(Elsewhere::Browser)),
        );
        self.area.left = bounds.right - TOOLBAR;
        let close = self.image_button("", "Close");
        self.on(close, Does::EndLate(None));
    }
}
