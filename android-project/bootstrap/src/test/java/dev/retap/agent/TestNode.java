package dev.retap.agent;

import android.view.accessibility.AccessibilityNodeInfo;
import java.util.ArrayList;
import java.util.List;

/** Node with given children that can throw at any call. Everything else is the framework's code. */
final class TestNode extends AccessibilityNodeInfo {
  static int recycled;
  private static long nodes;
  private static int untilThrow;
  private static int call;

  private final List<TestNode> children = new ArrayList<>();
  private final long number = ++nodes;

  TestNode(String className, String text) {
    setClassName(className);
    setText(text);
    setEnabled(true);
  }

  void add(TestNode child) {
    children.add(child);
  }

  /** Makes the n-th call throw; 0 for none. */
  static void throwAt(int n) {
    untilThrow = n;
    call = n;
  }

  private static void count() {
    if (untilThrow > 0 && --untilThrow == 0) {
      throw new IllegalStateException("thrown at call " + call);
    }
  }

  @Override
  public long getSourceNodeId() {
    count();
    return number;
  }

  @Override
  public int getChildCount() {
    count();
    return children.size();
  }

  @Override
  public AccessibilityNodeInfo getChild(int index, int prefetch) {
    count();
    return children.get(index);
  }

  @Override
  public void recycle() {
    count();
    recycled++;
  }

  @Override
  public boolean isEnabled() {
    count();
    return super.isEnabled();
  }

  @Override
  public boolean isClickable() {
    count();
    return super.isClickable();
  }

  @Override
  public boolean isLongClickable() {
    count();
    return super.isLongClickable();
  }

  @Override
  public boolean isScrollable() {
    count();
    return super.isScrollable();
  }

  @Override
  public boolean isCheckable() {
    count();
    return super.isCheckable();
  }

  @Override
  public boolean isChecked() {
    count();
    return super.isChecked();
  }

  @Override
  public boolean isEditable() {
    count();
    return super.isEditable();
  }

  @Override
  public boolean isFocused() {
    count();
    return super.isFocused();
  }

  @Override
  public boolean isVisibleToUser() {
    count();
    return super.isVisibleToUser();
  }

  @Override
  public CharSequence getText() {
    count();
    return super.getText();
  }

  @Override
  public CharSequence getClassName() {
    count();
    return super.getClassName();
  }

  @Override
  public CharSequence getContentDescription() {
    count();
    return super.getContentDescription();
  }

  @Override
  public String getViewIdResourceName() {
    count();
    return super.getViewIdResourceName();
  }

  @Override
  public void getBoundsInScreen(android.graphics.Rect bounds) {
    count();
    super.getBoundsInScreen(bounds);
  }
}
