//! Other apps' screens that come in front of the app: a call, the share sheet, a browser, the store.

use retap_shared::Text;
use retap_shared::geometry::{Point, Rect, Rotation};
use retap_shared::screen::SharedScreen;

use super::launcher::{ExternalWidget, draw};
use crate::framework::{ExternalScreen, display_size};

/// Effect of a touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExternalNavigation {
    Stay,
    /// Returns to the screen that was in front before.
    Back,
    Open(ExternalScreen),
}

struct ExternalScreenLayout {
    package: &'static str,
    activity: &'static str,
    title: &'static str,
    buttons: &'static [(&'static str, ExternalNavigation)],
}

pub(super) fn screen(what: ExternalScreen, rotation: Rotation) -> SharedScreen {
    let ExternalScreenLayout {
        package,
        activity,
        title,
        buttons,
    } = layout(what);
    let drawn = buttons
        .iter()
        .enumerate()
        .map(|(place, (label, _))| ExternalWidget {
            id: "android:id/text1",
            text: Text::new_static(label),
            bounds: button(place, rotation),
        });
    let widgets: Vec<ExternalWidget> = [ExternalWidget::group("android:id/content")]
        .into_iter()
        .chain(drawn)
        .collect();
    draw(package, activity, title, rotation, &widgets)
}

pub(super) fn touched(what: ExternalScreen, rotation: Rotation, at: Point) -> ExternalNavigation {
    let buttons = layout(what).buttons.iter().enumerate();
    let hit = buttons
        .into_iter()
        .find(|(place, _)| button(*place, rotation).contains(at));
    hit.map_or(ExternalNavigation::Stay, |(_, (_, next))| *next)
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

fn layout(what: ExternalScreen) -> &'static ExternalScreenLayout {
    match what {
        ExternalScreen::Call => &CALL,
        ExternalScreen::InCall => &IN_CALL,
        ExternalScreen::Share => &SHARE,
        ExternalScreen::Messages => &MESSAGES,
        ExternalScreen::Browser => &BROWSER,
        ExternalScreen::Store => &STORE,
    }
}

const CALL: ExternalScreenLayout = ExternalScreenLayout {
    package: "com.android.dialer",
    activity: "com.android.dialer/.InCallActivity",
    title: "Incoming call",
    buttons: &[
        ("Answer", ExternalNavigation::Open(ExternalScreen::InCall)),
        ("Decline", ExternalNavigation::Back),
    ],
};

const IN_CALL: ExternalScreenLayout = ExternalScreenLayout {
    package: "com.android.dialer",
    activity: "com.android.dialer/.InCallActivity",
    title: "In call",
    buttons: &[("End call", ExternalNavigation::Back)],
};

const SHARE: ExternalScreenLayout = ExternalScreenLayout {
    package: "com.android.intentresolver",
    activity: "com.android.intentresolver/.ChooserActivity",
    title: "Share",
    buttons: &[
        (
            "Messages",
            ExternalNavigation::Open(ExternalScreen::Messages),
        ),
        ("Copy", ExternalNavigation::Back),
    ],
};

const MESSAGES: ExternalScreenLayout = ExternalScreenLayout {
    package: "com.android.messaging",
    activity: "com.android.messaging/.ConversationActivity",
    title: "Messages",
    buttons: &[
        ("Send", ExternalNavigation::Back),
        ("Attach", ExternalNavigation::Stay),
    ],
};

const BROWSER: ExternalScreenLayout = ExternalScreenLayout {
    package: "com.android.chrome",
    activity: "com.android.chrome/.Main",
    title: "Browser",
    buttons: &[],
};

const STORE: ExternalScreenLayout = ExternalScreenLayout {
    package: "com.android.vending",
    activity: "com.android.vending/.MainActivity",
    title: "Store",
    buttons: &[
        ("Install", ExternalNavigation::Stay),
        ("Open", ExternalNavigation::Back),
    ],
};
