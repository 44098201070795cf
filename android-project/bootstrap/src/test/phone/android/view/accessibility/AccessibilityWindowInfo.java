package android.view.accessibility;

import android.graphics.Rect;

/** Window API of levels below 24: no titles. */
public final class AccessibilityWindowInfo {
  private final int type;
  private final AccessibilityNodeInfo root;

  private AccessibilityWindowInfo(int type, AccessibilityNodeInfo root) {
    this.type = type;
    this.root = root;
  }

  public static AccessibilityWindowInfo app() {
    return new AccessibilityWindowInfo(1, AccessibilityNodeInfo.app());
  }

  public static AccessibilityWindowInfo keyboard() {
    return new AccessibilityWindowInfo(2, null);
  }

  public int getType() {
    return type;
  }

  public int getLayer() {
    return type;
  }

  public int getId() {
    return type;
  }

  public AccessibilityWindowInfo getParent() {
    return null;
  }

  public boolean isFocused() {
    return root != null;
  }

  public void getBoundsInScreen(Rect bounds) {}

  public AccessibilityNodeInfo getRoot() {
    return root;
  }
}
