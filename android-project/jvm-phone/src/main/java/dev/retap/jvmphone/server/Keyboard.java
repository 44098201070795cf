package dev.retap.jvmphone.server;

import android.content.Context;
import android.content.ContextWrapper;
import android.graphics.Color;
import android.graphics.PixelFormat;
import android.view.Gravity;
import android.view.View;
import android.view.WindowManager;
import android.view.inputmethod.EditorInfo;
import android.view.inputmethod.InputConnection;
import android.view.inputmethod.InputMethodManager;
import android.widget.Button;
import android.widget.LinearLayout;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;

/** Soft keyboard: a window with keys, shown while a field requests it. */
final class Keyboard {
  private static final String[] ROWS = {
    "1234567890", "qwertyuiop", "asdfghjkl", "⇧zxcvbnm⌫", ", .⏎"
  };
  private static final int ROW_PIXELS = 96;

  /**
   * View of the keys, created once: forty buttons take longer to create than most apps' screens.
   */
  private static View keys;

  private static boolean shown;
  private static boolean shifted;

  private Keyboard() {}

  /** Connects to a new framework. */
  static void attach() {
    keys = null;
    shown = false;
    shifted = false;
    InputMethodManager manager =
        RuntimeEnvironment.getApplication().getSystemService(InputMethodManager.class);
    Shadows.shadowOf(manager).setSoftInputVisibilityHandler(Keyboard::show);
  }

  static boolean isShown() {
    return shown;
  }

  static void show(boolean wanted) {
    if (wanted == isShown()) {
      return;
    }
    WindowManager windows = context().getSystemService(WindowManager.class);
    if (wanted) {
      if (keys == null) {
        keys = build();
      }
      windows.addView(keys, place());
    } else {
      windows.removeViewImmediate(keys);
      shifted = false;
    }
    shown = wanted;
  }

  /** Hides the keyboard, on behalf of the window that requested it. */
  static void hide() {
    if (isShown()) {
      InputMethodManager manager =
          RuntimeEnvironment.getApplication().getSystemService(InputMethodManager.class);
      manager.hideSoftInputFromWindow(keys.getWindowToken(), 0);
    }
  }

  private static WindowManager.LayoutParams place() {
    WindowManager.LayoutParams place =
        new WindowManager.LayoutParams(
            WindowManager.LayoutParams.MATCH_PARENT,
            ROWS.length * ROW_PIXELS,
            WindowManager.LayoutParams.TYPE_INPUT_METHOD,
            WindowManager.LayoutParams.FLAG_NOT_FOCUSABLE
                | WindowManager.LayoutParams.FLAG_NOT_TOUCH_MODAL,
            PixelFormat.OPAQUE);
    place.gravity = Gravity.BOTTOM;
    place.setTitle("Keyboard");
    return place;
  }

  private static View build() {
    Context context = context();
    LinearLayout rows = new LinearLayout(context);
    rows.setOrientation(LinearLayout.VERTICAL);
    rows.setBackgroundColor(Color.LTGRAY);
    for (String row : ROWS) {
      LinearLayout line = new LinearLayout(context);
      row.codePoints().forEach(key -> line.addView(key(context, Character.toString(key)), share()));
      rows.addView(
          line, new LinearLayout.LayoutParams(LinearLayout.LayoutParams.MATCH_PARENT, ROW_PIXELS));
    }
    return rows;
  }

  private static LinearLayout.LayoutParams share() {
    return new LinearLayout.LayoutParams(0, LinearLayout.LayoutParams.MATCH_PARENT, 1);
  }

  private static Button key(Context context, String name) {
    Button key = new Button(context);
    key.setAllCaps(false);
    key.setPadding(0, 0, 0, 0);
    key.setText(name);
    key.setFocusable(false);
    key.setOnClickListener(pressed -> press(name));
    return key;
  }

  private static void press(String name) {
    Windows.Shown top = Windows.top();
    View field = top == null ? null : top.view().findFocus();
    EditorInfo info = new EditorInfo();
    InputConnection connection = field == null ? null : field.onCreateInputConnection(info);
    if (connection == null) {
      return;
    }
    switch (name) {
      case "⇧" -> shifted = !shifted;
      case "⌫" -> connection.deleteSurroundingText(1, 0);
      case "⏎" -> enter(connection, info);
      default -> {
        connection.commitText(shifted ? name.toUpperCase(java.util.Locale.ROOT) : name, 1);
        shifted = false;
      }
    }
  }

  private static void enter(InputConnection connection, EditorInfo info) {
    if ((info.imeOptions & EditorInfo.IME_FLAG_NO_ENTER_ACTION) != 0) {
      connection.commitText("\n", 1);
    } else {
      connection.performEditorAction(info.imeOptions & EditorInfo.IME_MASK_ACTION);
    }
  }

  private static Context context() {
    return new ContextWrapper(RuntimeEnvironment.getApplication()) {
      @Override
      public String getPackageName() {
        return "dev.retap.keyboard";
      }
    };
  }
}
