//! Injected events: what they cost, whether they get through, and whom they reach.

use retap_shared::action::{Action, Key};
use retap_shared::micros::Micros;
use retap_shared::screen::{Point, Rotation, ScreenHash};

use super::{SimulatedPhone, launcher};
use crate::kit::Input;

/// `InputDispatcher`'s patience with a window that does not take its input.
const ANR_TIMEOUT: Micros = Micros::from_millis(5_000);
/// `ViewConfiguration.getLongPressTimeout`.
const LONG_PRESS: Micros = Micros::from_millis(500);

impl SimulatedPhone {
    pub(super) fn perform(&mut self, action: &Action) {
        if let Action::Wait { millis } = action {
            return self.advance(Micros::from_millis(u64::from(*millis)));
        }
        let takes = self.world.takes(|figures| figures.event);
        self.advance(takes + gesture(action));
        if self.world.swallows(action) {
            return;
        }
        let before = (self.screen.hash(), self.process.late_dialog_is_up());
        match action {
            Action::Launch => {
                let takes = self.world.takes(|figures| figures.launch);
                self.advance(takes);
                self.bring_to_front();
            }
            Action::Rotate(to) => self.rotate(*to),
            Action::Key(Key::Home) => {
                self.in_front = false;
                self.look();
            }
            _ if self.in_front => self.hand_over(action),
            Action::Tap(at) | Action::LongPress(at) => self.touch_launcher(*at),
            _ => {}
        }
        self.perhaps_a_late_dialog(before);
    }

    /// After a change of the screen, but for the going of such a dialog.
    fn perhaps_a_late_dialog(&mut self, (screen, was_up): (ScreenHash, bool)) {
        let changed = self.in_front && self.screen.hash() != screen;
        if changed
            && !was_up
            && let Some(at) = self.world.late_dialog()
        {
            self.process.post_late_dialog(at);
        }
    }

    /// Gives the app its input, once its main thread is free. It may never be.
    fn hand_over(&mut self, action: &Action) {
        let Some(input) = as_input(action) else { return };
        let busy = self.process.busy_until().since(self.world.now);
        if busy >= ANR_TIMEOUT {
            self.advance(ANR_TIMEOUT);
            let key = matches!(action, Action::Key(_));
            let waiting = if key { "KeyEvent(action=DOWN)" } else { "MotionEvent(action=DOWN)" };
            let problem = self.process.not_responding(waiting);
            self.ended(problem);
        } else {
            if busy > Micros::ZERO {
                self.advance(busy);
            }
            self.process.input(input, &mut self.world);
        }
        self.look();
    }

    /// A new configuration waits for the main thread as well, but nobody times it.
    fn rotate(&mut self, to: Rotation) {
        if self.process.rotation() == to {
            return;
        }
        let busy = self.process.busy_until().since(self.world.now);
        if self.in_front && busy > Micros::ZERO {
            self.advance(busy);
        }
        self.process.rotate(to, self.in_front, &mut self.world);
        self.look();
    }

    fn touch_launcher(&mut self, at: Point) {
        if launcher::icon(self.process.rotation()).contains(at) {
            self.bring_to_front();
        }
    }
}

/// How long the finger is on the display.
fn gesture(action: &Action) -> Micros {
    match action {
        Action::LongPress(_) => LONG_PRESS,
        Action::Swipe { millis, .. } | Action::Pinch { millis, .. } => {
            Micros::from_millis(u64::from(*millis))
        }
        _ => Micros::ZERO,
    }
}

/// What of it an app can receive; nothing here answers to two fingers or to other keys.
fn as_input(action: &Action) -> Option<Input<'_>> {
    Some(match action {
        Action::Tap(at) => Input::Tap(*at),
        Action::LongPress(at) => Input::LongPress(*at),
        Action::Swipe { from, to, millis } => Input::Swipe { from: *from, to: *to, millis: *millis },
        Action::Text { at, text } => Input::Text { at: *at, text },
        Action::Key(Key::Back) | Action::Key(Key::Code(4)) => Input::Back,
        Action::Key(Key::Menu) | Action::Key(Key::Code(82)) => Input::Menu,
        Action::Key(Key::Enter) | Action::Key(Key::Code(66)) => Input::Enter,
        Action::Key(Key::Delete) | Action::Key(Key::Code(67)) => Input::Delete,
        Action::Key(Key::Code(code)) => Input::Type(letter(*code)?),
        Action::Key(Key::Home)
        | Action::Pinch { .. }
        | Action::Rotate(_)
        | Action::Launch
        | Action::Wait { .. } => return None,
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
        assert_eq!([7, 16, 29, 54, 62].map(letter), [Some('0'), Some('9'), Some('a'), Some('z'), Some(' ')]);
        assert_eq!(letter(24), None);
    }
}
