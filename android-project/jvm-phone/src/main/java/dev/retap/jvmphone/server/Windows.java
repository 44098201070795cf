package dev.retap.jvmphone.server;

import static android.view.WindowManager.LayoutParams.FIRST_SUB_WINDOW;
import static android.view.WindowManager.LayoutParams.FIRST_SYSTEM_WINDOW;
import static android.view.WindowManager.LayoutParams.FLAG_NOT_FOCUSABLE;
import static android.view.WindowManager.LayoutParams.FLAG_NOT_TOUCHABLE;
import static android.view.WindowManager.LayoutParams.FLAG_NOT_TOUCH_MODAL;
import static android.view.WindowManager.LayoutParams.FLAG_WATCH_OUTSIDE_TOUCH;
import static android.view.WindowManager.LayoutParams.TYPE_BASE_APPLICATION;

import android.graphics.Rect;
import android.os.IBinder;
import android.view.IWindow;
import android.view.View;
import android.view.ViewRootImpl;
import android.view.WindowManager;
import android.view.WindowManagerGlobal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.robolectric.shadows.ShadowWindowManagerGlobal;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/** Visible windows that the framework has added, bottom first. */
public final class Windows {
  /** Window that has the key focus. */
  private static ViewRootImpl focused;

  private Windows() {}

  /** Window as the window manager knows it. */
  record Shown(ViewRootImpl root, WindowManager.LayoutParams params, Shown parent, Rect bounds) {
    View view() {
      return root.getView();
    }

    IBinder token() {
      return windowOf(root).asBinder();
    }

    boolean isFocusable() {
      return (params.flags & FLAG_NOT_FOCUSABLE) == 0;
    }

    boolean isTouchable() {
      return (params.flags & FLAG_NOT_TOUCHABLE) == 0;
    }

    /** Whether it also receives touches outside of its bounds. */
    boolean isModal() {
      return (params.flags & (FLAG_NOT_FOCUSABLE | FLAG_NOT_TOUCH_MODAL)) == 0;
    }

    boolean watchesOutside() {
      return (params.flags & FLAG_WATCH_OUTSIDE_TOUCH) != 0;
    }
  }

  static List<Shown> shown() {
    WindowManagerGlobal global = WindowManagerGlobal.getInstance();
    List<ViewRootImpl> roots = ReflectionHelpers.getField(global, "mRoots");
    List<WindowManager.LayoutParams> params = ReflectionHelpers.getField(global, "mParams");
    List<Shown> shown = new ArrayList<>();
    for (int number = 0; number < roots.size(); number++) {
      Shown window = shown(roots.get(number), params.get(number), shown);
      if (window != null) {
        shown.add(window);
      }
    }
    shown.sort(Comparator.comparingInt(Windows::layer));
    return shown;
  }

  private static Shown shown(
      ViewRootImpl root, WindowManager.LayoutParams params, List<Shown> below) {
    View view = root.getView();
    if (view == null || view.getVisibility() != View.VISIBLE || !view.isAttachedToWindow()) {
      return null;
    }
    boolean isSub = params.type >= FIRST_SUB_WINDOW && params.type < FIRST_SYSTEM_WINDOW;
    Shown parent = null;
    if (isSub) {
      parent =
          below.stream().filter(window -> window.token() == params.token).findFirst().orElse(null);
    }
    boolean isApp = params.type < FIRST_SUB_WINDOW;
    Record owner = isApp ? Server.stack().of(params.token) : null;
    if (isSub && parent == null || owner != null && !owner.isVisible()) {
      return null;
    }
    int[] place = new int[2];
    view.getLocationOnScreen(place);
    Rect bounds =
        new Rect(place[0], place[1], place[0] + view.getWidth(), place[1] + view.getHeight());
    return new Shown(root, params, parent, bounds);
  }

  /**
   * Order by activity: an activity's own window is below its dialogs, whichever was added first.
   */
  private static int layer(Shown window) {
    if (window.params.type >= FIRST_SYSTEM_WINDOW) {
      return Integer.MAX_VALUE;
    }
    Shown base = window;
    while (base.parent != null) {
      base = base.parent;
    }
    Stack stack = Server.stack();
    int place = stack.records().indexOf(stack.of(base.params.token));
    return 2 * place + (base.params.type == TYPE_BASE_APPLICATION ? 0 : 1);
  }

  static IWindow windowOf(ViewRootImpl root) {
    return ReflectionHelpers.getField(root, "mWindow");
  }

  /** Topmost window that can have the key focus; null if there is none. */
  static Shown top() {
    List<Shown> shown = shown();
    for (int number = shown.size() - 1; number >= 0; number--) {
      if (shown.get(number).isFocusable()) {
        return shown.get(number);
      }
    }
    return null;
  }

  /** Moves the focus to the topmost window. Returns false if it has the focus already. */
  static boolean focus() {
    Shown top = top();
    ViewRootImpl root = top == null ? null : top.root;
    if (root == focused) {
      return false;
    }
    if (focused != null) {
      Keyboard.hide();
    }
    if (focused != null && focused.getView() != null) {
      focused.windowFocusChanged(false);
    }
    focused = root;
    if (root != null) {
      root.windowFocusChanged(true);
    }
    return true;
  }

  /**
   * Sets touch mode for all present and future windows, as the display's last input was a touch or
   * a navigation key.
   */
  public static void touchMode(boolean touched) {
    if (ShadowWindowManagerGlobal.getInTouchMode() == touched) {
      return;
    }
    ReflectionHelpers.callStaticMethod(
        ShadowWindowManagerGlobal.class,
        "setInTouchMode",
        ClassParameter.from(boolean.class, touched));
    List<ViewRootImpl> roots =
        ReflectionHelpers.getField(WindowManagerGlobal.getInstance(), "mRoots");
    // The window that caused the change is up to date and ignores the call.
    roots.forEach(root -> root.touchModeChanged(touched));
  }

  static boolean isFocused(Shown window) {
    return window.root == focused;
  }

  /** Removes all windows of an activity, without callbacks. */
  static void close(IBinder token) {
    if (token != null) {
      WindowManagerGlobal.getInstance().closeAll(token, null, null);
    }
  }

  static void forget() {
    focused = null;
  }
}
