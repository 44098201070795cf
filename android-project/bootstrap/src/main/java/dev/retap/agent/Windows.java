package dev.retap.agent;

import android.graphics.Rect;
import android.view.accessibility.AccessibilityWindowInfo;

/**
 * Reads a window's attributes in one call instead of fifteen. All levels have them except titles.
 */
final class Windows {
  private Windows() {}

  /**
   * Returns the ints and the title; agent/src/android/windows.rs decodes them. {@code hasTitles}
   * from level 24 on.
   */
  static Object[] read(AccessibilityWindowInfo window, boolean hasTitles) {
    Rect bounds = new Rect();
    window.getBoundsInScreen(bounds);
    int type = window.getType();
    // Read only where needed: the system may have to look it up.
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
