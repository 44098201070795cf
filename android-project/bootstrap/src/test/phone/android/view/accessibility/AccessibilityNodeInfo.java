package android.view.accessibility;

import android.graphics.Rect;
import dev.retap.agent.FakePhone;

/** Node API of levels below 33: children are fetched one by one, and each is recycled. */
public final class AccessibilityNodeInfo {
  private static long numbers;

  private final long number = ++numbers;
  private final String className;
  private final String text;
  private final AccessibilityNodeInfo[] children;
  private boolean recycled;

  private AccessibilityNodeInfo(String className, String text, AccessibilityNodeInfo... children) {
    this.className = className;
    this.text = text;
    this.children = children;
  }

  static AccessibilityNodeInfo app() {
    return new AccessibilityNodeInfo(
        "android.widget.FrameLayout",
        null,
        new AccessibilityNodeInfo("android.widget.TextView", FakePhone.taps + " taps"),
        null,
        new AccessibilityNodeInfo(null, "half \ud800, whole \ud83d\ude00, none \0"));
  }

  public CharSequence getClassName() {
    return className;
  }

  public CharSequence getPackageName() {
    return FakePhone.PACKAGE;
  }

  public String getViewIdResourceName() {
    return null;
  }

  public CharSequence getText() {
    return text;
  }

  public CharSequence getContentDescription() {
    return null;
  }

  public void getBoundsInScreen(Rect bounds) {
    bounds.right = FakePhone.WIDTH;
    bounds.bottom = FakePhone.HEIGHT;
  }

  public boolean isEnabled() {
    return true;
  }

  public boolean isClickable() {
    return false;
  }

  public boolean isLongClickable() {
    return false;
  }

  public boolean isScrollable() {
    return false;
  }

  public boolean isCheckable() {
    return false;
  }

  public boolean isChecked() {
    return false;
  }

  public boolean isEditable() {
    return false;
  }

  public boolean isFocused() {
    return false;
  }

  public boolean isSelected() {
    return false;
  }

  public boolean isPassword() {
    return false;
  }

  public boolean isVisibleToUser() {
    return true;
  }

  public long getSourceNodeId() {
    if (recycled) {
      throw new IllegalStateException("the node was given back");
    }
    return number;
  }

  public int getChildCount() {
    return children.length;
  }

  public AccessibilityNodeInfo getChild(int index) {
    return children[index];
  }

  public void recycle() {
    recycled = true;
  }
}
