package dev.retap.agent;

import android.graphics.Rect;
import android.view.accessibility.AccessibilityWindowInfo;

/**
 * What a window is, without its tree, in one call: from Rust it would be fifteen. Every level has
 * all of it but titles.
 */
final class Windows {
  private Windows() {}

  /**
   * Numbers, and the title; agent/src/android/windows.rs takes them apart. `hasTitles` from level
   * 24 on.
   */
  static Object[] read(AccessibilityWindowInfo window, boolean hasTitles) {
    Rect bounds = new Rect();
    window.getBoundsInScreen(bounds);
    int type = window.getType();
    // Only asked for where it matters: the system may have to look it up.
    boolean isChild =
        type == AccessibilityWindowInfo.TYPE_APPLICATION && window.getParent() != null;
    CharSequence title = hasTitles ? window.getTitle() : null;
    int[] numbers = {
      window.getLayer(),
      window.getId(),
      type,
      isChild ? 1 : 0,
      window.isFocused() ? 1 : 0,
      bounds.left,
      bounds.top,
      bounds.right,
      bounds.bottom
    };
    return new Object[] {numbers, title == null ? null : title.toString()};
  }
}
