//! Input to the app in front: from a place on the screen to a message.

use retap_shared::Text;
use retap_shared::geometry::Point;

use super::drawn_screen::{DrawnScreen, NodeHandler, TouchTarget, WindowCancel};
use super::keyboard::KeyPress;
use super::running_app::RunningApp;
use super::{SimulatedApp, World};

/// Input as the app in front receives it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AppInput<'a> {
    Tap(Point),
    LongPress(Point),
    Swipe { from: Point, to: Point, millis: u32 },
    Text { at: Point, text: &'a Text },
    Back,
    Menu,
    Enter,
    Delete,
    Type(char),
}

/// A finger that moves less than this has tapped.
const TOUCH_SLOP: i32 = 24;
/// Speed, in pixels per millisecond, from which a list keeps scrolling when the finger has left it.
const FLING_SPEED: i64 = 2;

impl<A: SimulatedApp> RunningApp<A> {
    pub(super) fn take_input(&mut self, input: AppInput<'_>, world: &mut World) {
        let Some(built) = self.drawn_screen() else {
            return;
        };
        match input {
            AppInput::Tap(at) => self.touch(&built, at, false, world),
            AppInput::LongPress(at) => self.touch(&built, at, true, world),
            AppInput::Swipe { from, to, .. } if near(from, to) => {
                self.touch(&built, from, false, world);
            }
            AppInput::Swipe { from, to, millis } => self.swipe(&built, from, to, millis, world),
            AppInput::Text { at, text } => self.set_text(&built, at, text, world),
            AppInput::Back => self.back(&built, world),
            AppInput::Menu if built.behavior.has_menu && built.front_window() == 0 => {
                self.front_mut().menu_open = true;
            }
            AppInput::Menu if self.front_mut().menu_open => self.front_mut().menu_open = false,
            AppInput::Menu => {}
            AppInput::Enter => self.press(&built, KeyPress::Enter, world),
            AppInput::Delete => self.press(&built, KeyPress::Delete, world),
            AppInput::Type(letter) => self.press(&built, KeyPress::Type(letter), world),
        }
    }

    fn touch(&mut self, built: &DrawnScreen<A::Msg>, at: Point, long: bool, world: &mut World) {
        match built.touch_target(at) {
            TouchTarget::Nothing => {}
            TouchTarget::Outside(window) => self.cancel(&built.behavior.cancels[window], world),
            TouchTarget::Key(press) => self.press(built, press, world),
            TouchTarget::Node(node) => {
                if let Some(msg) = built.web_at(node, at) {
                    self.send(msg, world);
                } else if let Some(node) = built.touch_receiver(node) {
                    self.click(built, node, long, world);
                }
            }
        }
    }

    /// A long press on a node without a handler for it is a click when the finger leaves it.
    fn click(&mut self, built: &DrawnScreen<A::Msg>, node: usize, long: bool, world: &mut World) {
        let long = long
            && built
                .handlers(node)
                .any(|does| matches!(does, NodeHandler::LongPress(_)));
        for does in built.handlers(node) {
            match does {
                NodeHandler::LongPress(msg) if long => return self.send(msg.clone(), world),
                NodeHandler::Tap(msg) if !long => return self.send(msg.clone(), world),
                NodeHandler::Edit { .. } => {
                    let id = built.node(node).id.clone();
                    let front = self.front_mut();
                    (front.focus, front.reveal) = (Some(id), true);
                }
                NodeHandler::Up => return self.go_back(world),
                NodeHandler::Menu => self.front_mut().menu_open = true,
                NodeHandler::DismissLateDialog(leaves) => {
                    self.external_screen = *leaves;
                    self.dismiss_late_dialog();
                }
                _ => {}
            }
        }
    }

    fn swipe(
        &mut self,
        built: &DrawnScreen<A::Msg>,
        from: Point,
        to: Point,
        millis: u32,
        world: &mut World,
    ) {
        let node = match built.touch_target(from) {
            TouchTarget::Node(node) => node,
            TouchTarget::Outside(window) => {
                return self.cancel(&built.behavior.cancels[window], world);
            }
            TouchTarget::Key(_) | TouchTarget::Nothing => return,
        };
        let across = to.x.saturating_sub(from.x);
        let down = from.y.saturating_sub(to.y);
        let sideways = across.unsigned_abs() > down.unsigned_abs();
        for node in built.ancestors(node) {
            for does in built.handlers(node) {
                match does {
                    NodeHandler::Pager { previous, next } if sideways => {
                        let turned = if across < 0 { next } else { previous };
                        return turned.iter().for_each(|msg| self.send(msg.clone(), world));
                    }
                    NodeHandler::Scroll { id, offset, max } if !sideways && *max > 0 => {
                        let reached = (*offset + travelled(down, millis)).clamp(0, *max);
                        self.front_mut().scroll(id.clone(), reached);
                        if reached == *max {
                            self.reached_end(built, node, world);
                        }
                        return;
                    }
                    _ => {}
                }
            }
        }
    }

    fn reached_end(&mut self, built: &DrawnScreen<A::Msg>, list: usize, world: &mut World) {
        for does in built.handlers(list) {
            if let NodeHandler::End(msg) = does {
                return self.send(msg.clone(), world);
            }
        }
    }

    /// Sets text as accessibility services do: without the keyboard, and independent of the focus.
    fn set_text(&mut self, built: &DrawnScreen<A::Msg>, at: Point, text: &Text, world: &mut World) {
        let TouchTarget::Node(node) = built.touch_target(at) else {
            return;
        };
        let Some(node) = built.touch_receiver(node) else {
            return;
        };
        for does in built.handlers(node) {
            if let NodeHandler::Edit { edit, .. } = does {
                return self.send(edit.message(text.clone()), world);
            }
        }
    }

    fn press(&mut self, built: &DrawnScreen<A::Msg>, press: KeyPress, world: &mut World) {
        let Some(field) = built.behavior.focused else {
            return;
        };
        for does in built.handlers(field as usize) {
            match (press, does) {
                (KeyPress::Type(letter), NodeHandler::Edit { edit, value }) => {
                    return self.send(edit.message(value.chars().chain([letter]).collect()), world);
                }
                (KeyPress::Delete, NodeHandler::Edit { edit, value }) => {
                    let mut shorter = value.as_str().chars();
                    shorter.next_back();
                    return self.send(edit.message(Text::new(shorter.as_str())), world);
                }
                (KeyPress::Enter, NodeHandler::Submit(msg)) => {
                    return self.send(msg.clone(), world);
                }
                _ => {}
            }
        }
    }

    fn back(&mut self, built: &DrawnScreen<A::Msg>, world: &mut World) {
        if built.behavior.keyboard {
            self.front_mut().focus = None;
        } else if built.front_window() == 0 {
            self.go_back(world);
        } else {
            self.cancel(&built.behavior.cancels[built.front_window()], world);
        }
    }

    fn cancel(&mut self, cancel: &WindowCancel<A::Msg>, world: &mut World) {
        match cancel {
            WindowCancel::Never => {}
            WindowCancel::Msg(msg) => self.send(msg.clone(), world),
            WindowCancel::Menu => self.front_mut().menu_open = false,
            WindowCancel::LateDialog => self.dismiss_late_dialog(),
        }
    }
}

fn near(from: Point, to: Point) -> bool {
    from.x.abs_diff(to.x).max(from.y.abs_diff(to.y)) < TOUCH_SLOP as u32
}

fn travelled(dragged: i32, millis: u32) -> i32 {
    let dragged = i64::from(dragged);
    let flung = dragged.abs() >= FLING_SPEED * i64::from(millis);
    let travelled = if flung { dragged * 5 / 2 } else { dragged };
    travelled.clamp(-100_000, 100_000) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fast_swipe_goes_on_when_the_finger_has_left() {
        assert_eq!(travelled(400, 1_000), 400);
        assert_eq!(travelled(400, 100), 1_000);
        assert_eq!(travelled(-400, 100), -1_000);
        assert_eq!(travelled(i32::MIN, 0), -100_000);
    }
}
