//! InputManager, MotionEvent and KeyEvent: fingers and keys. Each event has phone time, and its injection returns once the
//! app has consumed it.

use jni::Env;
use jni::objects::{JObject, JValue};
use retap_shared::action::Key;
use retap_shared::geometry::Point;

use super::accessibility::Accessibility;
use super::clock;
use super::java::{JavaBridge, JavaError, JavaResult};
use super::table::JavaName;

/// InputManager.INJECT_INPUT_EVENT_MODE_WAIT_FOR_FINISH.
const WAIT_FOR_FINISH: i32 = 2;
const TOUCHSCREEN: i32 = 0x1002;
const KEYBOARD: i32 = 0x101;
const VIRTUAL_KEYBOARD: i32 = -1;
const FINGER: i32 = 1;

/// MotionEvent.ACTION_*; the finger's number goes into the second byte.
const DOWN: i32 = 0;
const UP: i32 = 1;
const MOVE: i32 = 2;
const CANCEL: i32 = 3;
const SECOND_DOWN: i32 = 5 | (1 << 8);
const SECOND_UP: i32 = 6 | (1 << 8);

/// Duration of a long press, above the long-press timeout of every phone.
const LONG_PRESS_MILLIS: u32 = 800;
/// Interval of a gesture's moves: one per frame.
const FRAME_MILLIS: u32 = 16;
/// Maximum duration of a gesture.
const MAX_GESTURE_MILLIS: u32 = 60_000;

/// Injects events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputInjector<'a> {
    pub(crate) java: &'a JavaBridge,
    pub(crate) accessibility: &'a Accessibility,
    pub(crate) context: &'a JObject<'static>,
}

/// A gesture from the first finger down to the last finger up.
struct Gesture<'a> {
    input: InputInjector<'a>,
    down: i64,
}

impl<'a> InputInjector<'a> {
    pub(crate) fn tap(self, env: &mut Env, at: Point) -> JavaResult<()> {
        let gesture = self.finger_down(env, at)?;
        gesture.finish(env, |env| gesture.send(env, UP, &[at]))
    }

    pub(crate) fn long_press(self, env: &mut Env, at: Point) -> JavaResult<()> {
        let gesture = self.finger_down(env, at)?;
        gesture.finish(env, |env| {
            clock::sleep(self.java, env, i64::from(LONG_PRESS_MILLIS))?;
            gesture.send(env, UP, &[at])
        })
    }

    pub(crate) fn swipe(
        self,
        env: &mut Env,
        from: Point,
        to: Point,
        millis: u32,
    ) -> JavaResult<()> {
        let gesture = self.finger_down(env, from)?;
        gesture.finish(env, |env| {
            gesture.move_along(env, millis, |part| vec![between(from, to, part)])?;
            gesture.send(env, UP, &[to])
        })
    }

    pub(crate) fn pinch(
        self,
        env: &mut Env,
        center: Point,
        from: i32,
        to: i32,
        millis: u32,
    ) -> JavaResult<()> {
        let fingers = |distance: i32| {
            let half = distance / 2;
            vec![
                Point {
                    x: center.x.saturating_sub(half),
                    y: center.y,
                },
                Point {
                    x: center.x.saturating_add(half),
                    y: center.y,
                },
            ]
        };
        let start = fingers(from);
        let gesture = self.finger_down(env, start[0])?;
        gesture.finish(env, |env| {
            gesture.send(env, SECOND_DOWN, &start)?;
            let ends = [Point { x: from, y: 0 }, Point { x: to, y: 0 }];
            gesture.move_along(env, millis, |part| {
                fingers(between(ends[0], ends[1], part).x)
            })?;
            let end = fingers(to);
            gesture.send(env, SECOND_UP, &end)?;
            gesture.send(env, UP, &end[..1])
        })
    }

    pub(crate) fn key(self, env: &mut Env, key: Key) -> JavaResult<()> {
        let down = clock::now(self.java, env)?;
        for action in [DOWN, UP] {
            let now = clock::now(self.java, env)?;
            let event = key_event(self.java, env, down, now, action, i32::from(key.code()))?;
            self.inject(env, &event)?;
        }
        Ok(())
    }

    /// Injects an event by the newest interface that this phone has. The one of accessibility is slower and comes last.
    pub(crate) fn inject(self, env: &mut Env, event: &JObject) -> JavaResult<()> {
        let java = self.java;
        let arguments = [event.into(), WAIT_FOR_FINISH.into()];
        let consumed =
            if java.has(env, JavaName::InputGlobal) && java.has(env, JavaName::InputGlobalInject) {
                // InputManagerGlobal.getInstance().injectInputEvent(event, INJECT_INPUT_EVENT_MODE_WAIT_FOR_FINISH)
                let manager = java
                    .call_static(env, JavaName::InputGlobal, &[])?
                    .into_object()?;
                java.call(env, JavaName::InputGlobalInject, &manager, &arguments)
            } else if java.has(env, JavaName::InputInject) && !self.context.is_null() {
                // ((InputManager) context.getSystemService("input")).injectInputEvent(event, …_WAIT_FOR_FINISH)
                let name = env.new_string("input")?;
                let manager = java
                    .call(
                        env,
                        JavaName::ContextService,
                        self.context,
                        &[(&name).into()],
                    )?
                    .into_object()?;
                java.call(env, JavaName::InputInject, &manager, &arguments)
            } else {
                self.accessibility.inject(java, env, event).map(Into::into)
            };
        match consumed.map_err(add_permission_hint)?.into_bool()? {
            true => Ok(()),
            false => Err(refused()),
        }
    }

    fn finger_down(self, env: &mut Env, at: Point) -> JavaResult<Gesture<'a>> {
        let gesture = Gesture {
            input: self,
            down: clock::now(self.java, env)?,
        };
        gesture.send(env, DOWN, &[at])?;
        Ok(gesture)
    }
}

impl Gesture<'_> {
    /// Sends the rest of the gesture. If a part of it is refused, the gesture is cancelled, so that no finger stays down.
    fn finish(
        &self,
        env: &mut Env,
        rest: impl FnOnce(&mut Env) -> JavaResult<()>,
    ) -> JavaResult<()> {
        let sent = rest(env);
        if sent.is_err() {
            // A window that is gone takes no cancellation either: only the first error counts.
            let _ = self.send(env, CANCEL, &[Point { x: 0, y: 0 }]);
        }
        sent
    }

    /// Moves the fingers to `places` of 0 to 1, one frame at a time.
    fn move_along(
        &self,
        env: &mut Env,
        millis: u32,
        places: impl Fn(f32) -> Vec<Point>,
    ) -> JavaResult<()> {
        let steps = (millis.min(MAX_GESTURE_MILLIS) / FRAME_MILLIS).max(1);
        for step in 1..=steps {
            clock::sleep(self.input.java, env, i64::from(FRAME_MILLIS))?;
            self.send(env, MOVE, &places(step as f32 / steps as f32))?;
        }
        Ok(())
    }

    fn send(&self, env: &mut Env, action: i32, fingers: &[Point]) -> JavaResult<()> {
        let java = self.input.java;
        env.with_local_frame(32, |env| {
            let now = clock::now(java, env)?;
            let event = motion(java, env, self.down, now, action, fingers)?;
            self.input.inject(env, &event)?;
            // event.recycle()
            java.call(env, JavaName::EventRecycle, &event, &[])?;
            Ok(())
        })
    }
}

/// MotionEvent.obtain(down, now, action, n, properties, coords, 0, 0, 1, 1, 0, 0, SOURCE_TOUCHSCREEN, 0)
pub(crate) fn motion<'l>(
    java: &JavaBridge,
    env: &mut Env<'l>,
    down: i64,
    now: i64,
    action: i32,
    fingers: &[Point],
) -> JavaResult<JObject<'l>> {
    let class = java.class(env, JavaName::PointerNew)?;
    let properties = env.new_object_array(fingers.len() as i32, class, JObject::null())?;
    let class = java.class(env, JavaName::CoordsNew)?;
    let coords = env.new_object_array(fingers.len() as i32, class, JObject::null())?;
    for (number, at) in fingers.iter().enumerate() {
        let pointer = java.make(env, JavaName::PointerNew, &[&[]])?;
        java.set(
            env,
            JavaName::PointerId,
            &pointer,
            JValue::Int(number as i32),
        )?;
        java.set(env, JavaName::PointerTool, &pointer, FINGER.into())?;
        properties.set_element(env, number, &pointer)?;
        let coord = java.make(env, JavaName::CoordsNew, &[&[]])?;
        java.set(env, JavaName::CoordsX, &coord, JValue::Float(at.x as f32))?;
        java.set(env, JavaName::CoordsY, &coord, JValue::Float(at.y as f32))?;
        java.set(env, JavaName::CoordsPressure, &coord, JValue::Float(1.0))?;
        java.set(env, JavaName::CoordsSize, &coord, JValue::Float(1.0))?;
        coords.set_element(env, number, &coord)?;
    }
    let properties: &JObject = properties.as_ref();
    let coords: &JObject = coords.as_ref();
    let mut arguments = vec![JValue::Long(down), JValue::Long(now), action.into()];
    arguments.extend([
        JValue::Int(fingers.len() as i32),
        properties.into(),
        coords.into(),
    ]);
    arguments.extend([0, 0].map(JValue::Int));
    arguments.extend([1.0, 1.0].map(JValue::Float));
    arguments.extend([0, 0, TOUCHSCREEN, 0].map(JValue::Int));
    Ok(java
        .call_static(env, JavaName::MotionObtain, &arguments)?
        .into_object()?)
}

/// new KeyEvent(down, now, action, code, 0, 0, VIRTUAL_KEYBOARD, 0, 0, SOURCE_KEYBOARD)
pub(crate) fn key_event<'l>(
    java: &JavaBridge,
    env: &mut Env<'l>,
    down: i64,
    now: i64,
    action: i32,
    code: i32,
) -> JavaResult<JObject<'l>> {
    let mut arguments = vec![JValue::Long(down), JValue::Long(now)];
    arguments.extend([action, code, 0, 0, VIRTUAL_KEYBOARD, 0, 0, KEYBOARD].map(JValue::Int));
    java.make(env, JavaName::KeyNew, &[&arguments])
}

fn between(from: Point, to: Point, part: f32) -> Point {
    let mix = |from: i32, to: i32| (from as f32 + (to as f32 - from as f32) * part).round() as i32;
    Point {
        x: mix(from.x, to.x),
        y: mix(from.y, to.y),
    }
}

fn refused() -> JavaError {
    JavaError::Refused {
        call: "injectInputEvent",
        why: "it returned false: no window took the event",
    }
}

/// Adds a hint: on phones of some vendors a second setting must allow the shell to inject.
fn add_permission_hint(error: JavaError) -> JavaError {
    match error {
        JavaError::Thrown {
            call,
            class,
            message,
        } if class == "java.lang.SecurityException" => {
            let message = format!(
                "{message}. Switch on \"USB debugging (Security settings)\" in the phone's developer options"
            );
            JavaError::Thrown {
                call,
                class,
                message,
            }
        }
        other => other,
    }
}
