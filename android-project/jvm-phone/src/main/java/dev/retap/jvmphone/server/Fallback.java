package dev.retap.jvmphone.server;

import android.view.KeyEvent;

/**
 * Fallback keys for keys that no window handled, from this API level's {@code Virtual.kcm} for
 * injected keys: buttons of a game pad select, go back and open menus, and the number pad
 * navigates.
 */
final class Fallback {
  /** Fallback key that is down, and the original key that it replaces. */
  private static int fallback = KeyEvent.KEYCODE_UNKNOWN;

  private static int original = KeyEvent.KEYCODE_UNKNOWN;

  private Fallback() {}

  /** Event of the fallback key; null if there is none. */
  static KeyEvent of(KeyEvent event, boolean taken) {
    if ((event.getFlags() & KeyEvent.FLAG_FALLBACK) != 0) {
      return null;
    }
    if (event.getAction() == KeyEvent.ACTION_DOWN) {
      original = event.getKeyCode();
      fallback = taken || event.getMetaState() != 0 ? KeyEvent.KEYCODE_UNKNOWN : keyFor(original);
    } else if (event.getKeyCode() != original) {
      return null;
    }
    if (fallback == KeyEvent.KEYCODE_UNKNOWN) {
      return null;
    }
    // A window that handles only the original's up event cancels the fallback.
    int cancelled = taken ? KeyEvent.FLAG_CANCELED : 0;
    KeyEvent instead =
        new KeyEvent(
            event.getDownTime(),
            event.getEventTime(),
            event.getAction(),
            fallback,
            event.getRepeatCount(),
            event.getMetaState(),
            event.getDeviceId(),
            event.getScanCode(),
            event.getFlags() | KeyEvent.FLAG_FALLBACK | cancelled,
            event.getSource());
    if (event.getAction() == KeyEvent.ACTION_UP) {
      original = KeyEvent.KEYCODE_UNKNOWN;
    }
    return instead;
  }

  private static int keyFor(int key) {
    if (key >= KeyEvent.KEYCODE_BUTTON_1 && key <= KeyEvent.KEYCODE_BUTTON_16) {
      return KeyEvent.KEYCODE_DPAD_CENTER;
    }
    return switch (key) {
      case KeyEvent.KEYCODE_BUTTON_A,
          KeyEvent.KEYCODE_BUTTON_C,
          KeyEvent.KEYCODE_BUTTON_X,
          KeyEvent.KEYCODE_BUTTON_Z,
          KeyEvent.KEYCODE_BUTTON_THUMBL,
          KeyEvent.KEYCODE_BUTTON_THUMBR,
          KeyEvent.KEYCODE_BUTTON_START,
          KeyEvent.KEYCODE_NUMPAD_5 ->
          KeyEvent.KEYCODE_DPAD_CENTER;
      case KeyEvent.KEYCODE_BUTTON_B, KeyEvent.KEYCODE_BUTTON_Y -> KeyEvent.KEYCODE_BACK;
      case KeyEvent.KEYCODE_BUTTON_SELECT, KeyEvent.KEYCODE_BUTTON_MODE -> KeyEvent.KEYCODE_MENU;
      case KeyEvent.KEYCODE_NUMPAD_0 -> KeyEvent.KEYCODE_INSERT;
      case KeyEvent.KEYCODE_NUMPAD_1 -> KeyEvent.KEYCODE_MOVE_END;
      case KeyEvent.KEYCODE_NUMPAD_2 -> KeyEvent.KEYCODE_DPAD_DOWN;
      case KeyEvent.KEYCODE_NUMPAD_3 -> KeyEvent.KEYCODE_PAGE_DOWN;
      case KeyEvent.KEYCODE_NUMPAD_4 -> KeyEvent.KEYCODE_DPAD_LEFT;
      case KeyEvent.KEYCODE_NUMPAD_6 -> KeyEvent.KEYCODE_DPAD_RIGHT;
      case KeyEvent.KEYCODE_NUMPAD_7 -> KeyEvent.KEYCODE_MOVE_HOME;
      case KeyEvent.KEYCODE_NUMPAD_8 -> KeyEvent.KEYCODE_DPAD_UP;
      case KeyEvent.KEYCODE_NUMPAD_9 -> KeyEvent.KEYCODE_PAGE_UP;
      case KeyEvent.KEYCODE_NUMPAD_DOT -> KeyEvent.KEYCODE_FORWARD_DEL;
      case KeyEvent.KEYCODE_NUMPAD_ENTER -> KeyEvent.KEYCODE_ENTER;
      default -> KeyEvent.KEYCODE_UNKNOWN;
    };
  }
}
