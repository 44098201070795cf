//! What a finger or a key does to the app in front: from a place on the screen to a message.

use retap_shared::Text;
use retap_shared::screen::Point;

use super::built::{Built, Cancel, Does, Under};
use super::keyboard::Press;
use super::running::Running;
use super::{App, World};

/// Input as the app in front receives it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'a> {
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
/// From this speed on, in pixels a millisecond, a list goes on when the finger has left it.
const FLING: i64 = 2;

impl<A: App> Running<A> {
    pub(super) fn take_input(&mut self, input: Input<'_>, world: &mut World) {
        let Some(built) = self.built() else { return };
        match input {
            Input::Tap(at) => self.touch(&built, at, false, world),
            Input::LongPress(at) => self.touch(&built, at, true, world),
            Input::Swipe { from, to, .. } if near(from, to) => {
                self.touch(&built, from, false, world)
            }
            Input::Swipe { from, to, millis } => self.swipe(&built, from, to, millis, world),
            Input::Text { at, text } => self.set_text(&built, at, text, world),
            Input::Back => self.back(&built, world),
            Input::Menu if built.behind.has_menu && built.front() == 0 => {
                self.front_mut().menu_open = true
            }
            Input::Menu if self.front_mut().menu_open => self.front_mut().menu_open = false,
            Input::Menu => {}
            Input::Enter => self.press(&built, Press::Enter, world),
            Input::Delete => self.press(&built, Press::Delete, world),
            Input::Type(letter) => self.press(&built, Press::Type(letter), world),
        }
    }

    fn touch(&mut self, built: &Built<A::Msg>, at: Point, long: bool, world: &mut World) {
        match built.under(at) {
            Under::Nothing => {}
            Under::Beside(window) => self.cancel(&built.behind.cancels[window], world),
            Under::Key(press) => self.press(built, press, world),
            Under::Node(node) => {
                if let Some(msg) = built.web_at(node, at) {
                    self.send(msg, world);
                } else if let Some(node) = built.takes_touch(node) {
                    self.click(built, node, long, world);
                }
            }
        }
    }

    /// A long press on what has no answer to one is a click when the finger leaves it.
    fn click(&mut self, built: &Built<A::Msg>, node: usize, long: bool, world: &mut World) {
        let long = long && built.does(node).any(|does| matches!(does, Does::Long(_)));
        for does in built.does(node) {
            match does {
                Does::Long(msg) if long => return self.send(msg.clone(), world),
                Does::Tap(msg) if !long => return self.send(msg.clone(), world),
                Does::Edit { .. } => {
                    let id = built.node(node).id.clone();
                    let front = self.front_mut();
                    (front.focus, front.reveal) = (Some(id), true);
                }
                Does::Up => return self.go_back(world),
                Does::Menu => self.front_mut().menu_open = true,
                Does::EndLate(leaves) => {
                    self.leaves = *leaves;
                    self.dismiss_late();
                }
                _ => {}
            }
        }
    }

    fn swipe(
        &mut self,
        built: &Built<A::Msg>,
        from: Point,
        to: Point,
        millis: u32,
        world: &mut World,
    ) {
        let node = match built.under(from) {
            Under::Node(node) => node,
            Under::Beside(window) => return self.cancel(&built.behind.cancels[window], world),
            Under::Key(_) | Under::Nothing => return,
        };
        let across = to.x.saturating_sub(from.x);
        let down = from.y.saturating_sub(to.y);
        let sideways = across.unsigned_abs() > down.unsigned_abs();
        for node in built.upwards(node) {
            for does in built.does(node) {
                match does {
                    Does::Pager { previous, next } if sideways => {
                        let turned = if across < 0 { next } else { previous };
                        return turned.iter().for_each(|msg| self.send(msg.clone(), world));
                    }
                    Does::Scroll { id, offset, max } if !sideways && *max > 0 => {
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

    fn reached_end(&mut self, built: &Built<A::Msg>, list: usize, world: &mut World) {
        for does in built.does(list) {
            if let Does::End(msg) = does {
                return self.send(msg.clone(), world);
            }
        }
    }

    /// As accessibility services set text: without the keyboard, whatever has the focus.
    fn set_text(&mut self, built: &Built<A::Msg>, at: Point, text: &Text, world: &mut World) {
        let Under::Node(node) = built.under(at) else {
            return;
        };
        let Some(node) = built.takes_touch(node) else {
            return;
        };
        for does in built.does(node) {
            if let Does::Edit { edit, .. } = does {
                return self.send(edit.message(text.clone()), world);
            }
        }
    }

    fn press(&mut self, built: &Built<A::Msg>, press: Press, world: &mut World) {
        let Some(field) = built.behind.focused else {
            return;
        };
        for does in built.does(field as usize) {
            match (press, does) {
                (Press::Type(letter), Does::Edit { edit, value }) => {
                    return self.send(edit.message(value.chars().chain([letter]).collect()), world);
                }
                (Press::Delete, Does::Edit { edit, value }) => {
                    let mut shorter = value.as_str().chars();
                    shorter.next_back();
                    return self.send(edit.message(Text::new(shorter.as_str())), world);
                }
                (Press::Enter, Does::Submit(msg)) => return self.send(msg.clone(), world),
                _ => {}
            }
        }
    }

    fn back(&mut self, built: &Built<A::Msg>, world: &mut World) {
        if built.behind.keyboard {
            self.front_mut().focus = None;
        } else if built.front() == 0 {
            self.go_back(world);
        } else {
            self.cancel(&built.behind.cancels[built.front()], world);
        }
    }

    fn cancel(&mut self, cancel: &Cancel<A::Msg>, world: &mut World) {
        match cancel {
            Cancel::Never => {}
            Cancel::Msg(msg) => self.send(msg.clone(), world),
            Cancel::Menu => self.front_mut().menu_open = false,
            Cancel::Late => self.dismiss_late(),
        }
    }
}

fn near(from: Point, to: Point) -> bool {
    from.x.abs_diff(to.x).max(from.y.abs_diff(to.y)) < TOUCH_SLOP as u32
}

fn travelled(dragged: i32, millis: u32) -> i32 {
    let dragged = i64::from(dragged);
    let flung = dragged.abs() >= FLING * i64::from(millis);
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
