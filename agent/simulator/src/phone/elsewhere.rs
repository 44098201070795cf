//! Other apps' screens that come in front of the app: a call, the sheet for sharing, a browser, the store.

use retap_shared::Text;
use retap_shared::screen::{Point, Rect, Rotation, SharedScreen};

use super::launcher::{Drawn, draw};
use crate::kit::{Elsewhere, display_size};

/// What a touch leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Stay,
    /// To what was in front before.
    Back,
    On(Elsewhere),
}

struct Foreign {
    package: &'static str,
    activity: &'static str,
    title: &'static str,
    buttons: &'static [(&'static str, Next)],
}

pub(super) fn screen(what: Elsewhere, rotation: Rotation) -> SharedScreen {
    let Foreign {
        package,
        activity,
        title,
        buttons,
    } = foreign(what);
    let drawn = buttons.iter().enumerate().map(|(place, (label, _))| Drawn {
        id: "android:id/text1",
        text: Text::new_static(label),
        bounds: button(place, rotation),
    });
    let widgets: Vec<Drawn> = [Drawn::group("android:id/content")]
        .into_iter()
        .chain(drawn)
        .collect();
    draw(package, activity, title, rotation, &widgets)
}

pub(super) fn touched(what: Elsewhere, rotation: Rotation, at: Point) -> Next {
    let buttons = foreign(what).buttons.iter().enumerate();
    let hit = buttons
        .into_iter()
        .find(|(place, _)| button(*place, rotation).contains(at));
    hit.map_or(Next::Stay, |(_, (_, next))| *next)
}

fn button(place: usize, rotation: Rotation) -> Rect {
    let top = 300 + 180 * place as i32;
    Rect {
        left: 90,
        top,
        right: display_size(rotation).width as i32 - 90,
        bottom: top + 144,
    }
}

fn foreign(what: Elsewhere) -> &'static Foreign {
    match what {
        Elsewhere::Call => &Foreign {
            package: "com.android.dialer",
            activity: "com.android.dialer/.InCallActivity",
            title: "Incoming call",
            buttons: &[
                ("Answer", Next::On(Elsewhere::InCall)),
                ("Decline", Next::Back),
            ],
        },
        Elsewhere::InCall => &Foreign {
            package: "com.android.dialer",
            activity: "com.android.dialer/.InCallActivity",
            title: "In call",
            buttons: &[("End call", Next::Back)],
        },
        Elsewhere::Share => &Foreign {
            package: "com.android.intentresolver",
            activity: "com.android.intentresolver/.ChooserActivity",
            title: "Share",
            buttons: &[
                ("Messages", Next::On(Elsewhere::Messages)),
                ("Copy", Next::Back),
            ],
        },
        Elsewhere::Messages => &Foreign {
            package: "com.android.messaging",
            activity: "com.android.messaging/.ConversationActivity",
            title: "Messages",
            buttons: &[("Send", Next::Back), ("Attach", Next::Stay)],
        },
        Elsewhere::Browser => &Foreign {
            package: "com.android.chrome",
            activity: "com.android.chrome/.Main",
            title: "Browser",
            buttons: &[],
        },
        Elsewhere::Store => &Foreign {
            package: "com.android.vending",
            activity: "com.android.vending/.MainActivity",
            title: "Store",
            buttons: &[("Install", Next::Stay), ("Open", Next::Back)],
        },
    }
}
