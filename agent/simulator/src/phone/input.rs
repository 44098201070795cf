//! Injected events: their latency, whether they are lost, and the window that receives them.

use retap_shared::action::{Action, Key, SystemEvent};
use retap_shared::geometry::Rotation;
use retap_shared::micros::Micros;
use retap_shared::screen::ScreenHash;

use super::external_screen::{self, ExternalNavigation};
use super::{FrontScreen, SimulatedPhone, launcher};
use crate::framework::{AppInput, ExternalScreen};

/// Timeout of `InputDispatcher` for a window that does not take its input.
const ANR_TIMEOUT: Micros = Micros::from_millis(5_000);
/// `ViewConfiguration.getLongPressTimeout`.
const LONG_PRESS: Micros = Micros::from_millis(500);

impl SimulatedPhone {
    pub(super) fn perform(&mut self, action: &Action) {
        if let Action::Wait { millis } = action {
            return self.advance(Micros::from_millis(u64::from(*millis)));
        }
        let takes = self.world.draw_latency(|figures| figures.event);
        self.advance(takes + gesture_duration(action));
        if self.world.loses_event(action) {
            return;
        }
        let before = (self.screen.hash(), self.process.late_dialog_is_up());
        match action {
            Action::Launch => {
                let takes = self.world.draw_latency(|figures| figures.launch);
                self.advance(takes);
                self.bring_to_front();
            }
            Action::Rotate(to) => self.rotate(*to),
            Action::Key(Key::Home) => {
                self.front = FrontScreen::Launcher;
                self.refresh_screen();
            }
            Action::System(event) => self.perform_system_event(event),
            _ => match self.front {
                FrontScreen::App => self.deliver_input(action),
                FrontScreen::External { what, over_app } => {
                    self.act_on_external_screen(what, over_app, action);
                }
                FrontScreen::Launcher => self.touch_launcher(action),
            },
        }
        self.maybe_post_late_dialog(before);
    }

    /// Draws a late dialog after a change of the screen, unless the change was the end of such a dialog.
    fn maybe_post_late_dialog(&mut self, (screen, was_up): (ScreenHash, bool)) {
        let changed = self.front == FrontScreen::App && self.screen.hash() != screen;
        if changed
            && !was_up
            && let Some((late, at)) = self.world.draw_late_dialog()
        {
            self.process.post_late_dialog(late, at);
        }
    }

    /// Delivers input to the app once its main thread is free. Input that waits too long is an ANR.
    fn deliver_input(&mut self, action: &Action) {
        let Some(input) = as_input(action) else {
            return;
        };
        let busy = self.process.busy_until().since(self.world.now);
        if busy >= ANR_TIMEOUT {
            self.advance(ANR_TIMEOUT);
            let key = matches!(action, Action::Key(_));
            let waiting = if key {
                "KeyEvent(action=DOWN)"
            } else {
                "MotionEvent(action=DOWN)"
            };
            let finding = self.process.not_responding(waiting);
            self.process_failed(finding);
        } else {
            if busy > Micros::ZERO {
                self.advance(busy);
            }
            self.process.input(input, &mut self.world);
        }
        self.refresh_screen();
    }

    /// Rotates the display. It waits for the main thread too, but without a timeout.
    fn rotate(&mut self, to: Rotation) {
        if self.process.rotation() == to {
            return;
        }
        let in_front = self.wait_for_main_thread();
        self.process.rotate(to, in_front, &mut self.world);
        self.refresh_screen();
    }

    fn perform_system_event(&mut self, event: &SystemEvent) {
        let in_front = self.wait_for_main_thread();
        self.process.system(event, in_front, &mut self.world);
        self.refresh_screen();
        if *event == SystemEvent::Call {
            self.front = FrontScreen::External {
                what: ExternalScreen::Call,
                over_app: self.front == FrontScreen::App,
            };
            self.refresh_screen();
        }
    }

    /// Waits until the main thread is free. Returns whether the app is in front.
    fn wait_for_main_thread(&mut self) -> bool {
        let busy = self.process.busy_until().since(self.world.now);
        if self.front == FrontScreen::App && busy > Micros::ZERO {
            self.advance(busy);
        }
        self.front == FrontScreen::App
    }

    fn touch_launcher(&mut self, action: &Action) {
        let (Action::Tap(at) | Action::LongPress(at)) = action else {
            return;
        };
        if launcher::icon(self.process.rotation()).contains(*at) {
            self.bring_to_front();
        }
    }

    fn act_on_external_screen(&mut self, what: ExternalScreen, over_app: bool, action: &Action) {
        let next = match action {
            Action::Tap(at) | Action::LongPress(at) => {
                external_screen::touched(what, self.process.rotation(), *at)
            }
            Action::Key(Key::Back) | Action::Key(Key::Code(4)) => ExternalNavigation::Back,
            _ => ExternalNavigation::Stay,
        };
        match next {
            ExternalNavigation::Stay => {}
            ExternalNavigation::Back if over_app => self.bring_to_front(),
            ExternalNavigation::Back => {
                self.front = FrontScreen::Launcher;
                self.refresh_screen();
            }
            ExternalNavigation::Open(what) => {
                self.front = FrontScreen::External { what, over_app };
                self.refresh_screen();
            }
        }
    }
}

/// Duration of the touch.
fn gesture_duration(action: &Action) -> Micros {
    match action {
        Action::LongPress(_) => LONG_PRESS,
        Action::Swipe { millis, .. } | Action::Pinch { millis, .. } => {
            Micros::from_millis(u64::from(*millis))
        }
        _ => Micros::ZERO,
    }
}

/// The input as an app receives it. No app here handles two fingers or other keys.
fn as_input(action: &Action) -> Option<AppInput<'_>> {
    Some(match action {
        Action::Tap(at) => AppInput::Tap(*at),
        Action::LongPress(at) => AppInput::LongPress(*at),
        Action::Swipe { from, to, millis } => AppInput::Swipe {
            from: *from,
            to: *to,
            millis: *millis,
        },
        Action::Text { at, text } => AppInput::Text { at: *at, text },
        Action::Key(Key::Back) | Action::Key(Key::Code(4)) => AppInput::Back,
        Action::Key(Key::Menu) | Action::Key(Key::Code(82)) => AppInput::Menu,
        Action::Key(Key::Enter) | Action::Key(Key::Code(66)) => AppInput::Enter,
        Action::Key(Key::Delete) | Action::Key(Key::Code(67)) => AppInput::Delete,
        Action::Key(Key::Code(code)) => AppInput::Type(letter(*code)?),
        Action::Key(Key::Home)
        | Action::Pinch { .. }
        | Action::Rotate(_)
        | Action::Launch
        | Action::Wait { .. }
        | Action::System(_) => return None,
    })
}

/// `KEYCODE_0` to `KEYCODE_9`, `KEYCODE_A` to `KEYCODE_Z`, `KEYCODE_SPACE`.
fn letter(code: u16) -> Option<char> {
    match code {
        7..=16 => char::from_digit(u32::from(code) - 7, 10),
        29..=54 => char::from_digit(u32::from(code) - 29 + 10, 36),
        62 => Some(' '),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_codes_of_letters_and_digits_type_them() {
        assert_eq!(
            [7, 16, 29, 54, 62].map(letter),
            [Some('0'), Some('9'), Some('a'), Some('z'), Some(' ')]
        );
        assert_eq!(letter(24), None);
    }
}
