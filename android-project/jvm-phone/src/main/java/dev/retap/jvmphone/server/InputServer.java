package dev.retap.jvmphone.server;

import android.view.InputEvent;
import android.view.InputEventReceiver;
import android.view.KeyEvent;
import android.view.MotionEvent;
import android.view.ViewRootImpl;
import java.util.List;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/** IInputManager: delivers injected events to their window, through that window's input stages. */
public final class InputServer {
  /** Window of the current gesture, from the first down to the last up. */
  private static ViewRootImpl touched;

  /** Whether the back key that is down has hidden the keyboard. */
  private static boolean backHides;

  /** Last event that a window has finished, and whether it was handled. */
  private static InputEvent finished;

  private static boolean taken;

  public boolean injectInputEvent(InputEvent event, int mode) {
    return injectInputEventToTarget(event, mode, -1);
  }

  public boolean injectInputEventToTarget(InputEvent event, int mode, int uid) {
    Boolean taken =
        MainThread.call(
            () -> {
              Windows.focus();
              PhoneClock.run();
              PhoneClock.throwPending();
              if (event instanceof MotionEvent motion) {
                touch(motion);
              } else if (event instanceof KeyEvent key) {
                press(key);
              }
              PhoneClock.run();
              PhoneClock.throwPending();
              return true;
            });
    Events.flush();
    // An app that crashed on the event has handled it.
    return taken == null || taken;
  }

  private static void touch(MotionEvent event) {
    List<Windows.Shown> shown = Windows.shown();
    if (event.getActionMasked() == MotionEvent.ACTION_DOWN) {
      touched = null;
      for (int number = shown.size() - 1; number >= 0 && touched == null; number--) {
        Windows.Shown window = shown.get(number);
        if (!window.isTouchable()) {
          continue;
        }
        if (window.isModal() || window.bounds().contains((int) event.getX(), (int) event.getY())) {
          touched = window.root();
        } else if (window.watchesOutside()) {
          MotionEvent outside = MotionEvent.obtain(event);
          outside.setAction(MotionEvent.ACTION_OUTSIDE);
          deliver(window, outside);
        }
      }
    }
    for (Windows.Shown window : shown) {
      if (window.root() == touched) {
        deliver(window, MotionEvent.obtain(event));
      }
    }
  }

  private static void deliver(Windows.Shown window, MotionEvent event) {
    event.offsetLocation(-window.bounds().left, -window.bounds().top);
    enqueue(window.root(), event);
  }

  private static void press(KeyEvent event) {
    if (event.getKeyCode() == KeyEvent.KEYCODE_HOME) {
      if (event.getAction() == KeyEvent.ACTION_UP) {
        Server.stack().home();
      }
      return;
    }
    if (event.getKeyCode() == KeyEvent.KEYCODE_BACK && (Keyboard.isShown() || backHides)) {
      // The keyboard handles both down and up.
      backHides = event.getAction() == KeyEvent.ACTION_DOWN;
      Keyboard.hide();
      return;
    }
    Windows.Shown top = Windows.top();
    if (top == null) {
      return;
    }
    enqueue(top.root(), event);
    KeyEvent instead = Fallback.of(event, finished != event || taken);
    finished = null;
    if (instead != null) {
      press(instead);
    }
  }

  /** Called by every window's root when it has finished an event. */
  public static void finish(InputEvent event, boolean wasTaken) {
    finished = event;
    taken = wasTaken;
  }

  private static void enqueue(ViewRootImpl root, InputEvent event) {
    ReflectionHelpers.callInstanceMethod(
        ViewRootImpl.class,
        root,
        "enqueueInputEvent",
        ClassParameter.from(InputEvent.class, event),
        ClassParameter.from(InputEventReceiver.class, null),
        ClassParameter.from(int.class, 0),
        ClassParameter.from(boolean.class, true));
  }
}
