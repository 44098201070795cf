package dev.retap.jvmphone.direct;

import android.app.ActivityManager;
import android.content.ComponentName;
import android.graphics.Rect;
import android.hardware.display.DisplayManagerGlobal;
import android.util.SparseArray;
import android.view.Display;
import android.view.DisplayInfo;
import android.view.accessibility.AccessibilityInteractionClient;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;
import dev.retap.jvmphone.server.AccessibilityServer;
import dev.retap.jvmphone.server.Server;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.robolectric.RuntimeEnvironment;

/** Screen with everything that the agent reads: windows, nodes, display and top activity. */
final class Tree {
  private static final int PREFETCH =
      AccessibilityNodeInfo.FLAG_PREFETCH_DESCENDANTS_BREADTH_FIRST
          | AccessibilityNodeInfo.FLAG_PREFETCH_UNINTERRUPTIBLE;

  /** Attributes of a node that the agent keeps. */
  record Node(
      int depth, String type, String id, String text, String description, Rect bounds, int flags) {
    boolean isTapped() {
      return (flags & TAPPED) == TAPPED;
    }
  }

  record Window(
      int layer,
      int number,
      int type,
      Rect bounds,
      boolean focused,
      String title,
      String app,
      boolean hasParent) {}

  private static final int TAPPED = 1 | 1 << 1 | 1 << 10;

  /** Cached, as in the agent. */
  private static ActivityManager activities;

  /** Time before which nodes in the framework's cache are outdated. */
  private static long forgotten;

  final List<Window> windows = new ArrayList<>();

  /** Nodes of all windows, in order. */
  final List<Node> nodes = new ArrayList<>();

  /** Range of the nodes of the topmost window that is not a keyboard. */
  private int top;

  private int topEnd;
  DisplayInfo display;
  ComponentName activity;

  List<Node> tapped() {
    return nodes.subList(top, topEnd).stream().filter(Node::isTapped).toList();
  }

  static Tree read() {
    if (Server.lastEvent() >= forgotten) {
      forgotten = Server.lastEvent() + 1;
      AccessibilityInteractionClient.getInstance().clearCache(AccessibilityServer.CONNECTION);
    }
    Tree tree = new Tree();
    SparseArray<List<AccessibilityWindowInfo>> displays =
        AccessibilityInteractionClient.getInstance()
            .getWindowsOnAllDisplays(AccessibilityServer.CONNECTION);
    for (int display = 0; display < displays.size(); display++) {
      List<AccessibilityWindowInfo> windows = displays.valueAt(display);
      for (int number = windows.size() - 1; number >= 0; number--) {
        tree.read(windows.get(number));
      }
    }
    tree.display = DisplayManagerGlobal.getInstance().getDisplayInfo(Display.DEFAULT_DISPLAY);
    tree.activity = activities().getRunningTasks(1).get(0).topActivity;
    return tree;
  }

  private static ActivityManager activities() {
    if (activities == null) {
      activities = RuntimeEnvironment.getApplication().getSystemService(ActivityManager.class);
    }
    return activities;
  }

  private void read(AccessibilityWindowInfo window) {
    Rect bounds = new Rect();
    window.getBoundsInScreen(bounds);
    AccessibilityNodeInfo root = window.getRoot(PREFETCH);
    windows.add(
        new Window(
            window.getLayer(),
            window.getId(),
            window.getType(),
            bounds,
            window.isFocused(),
            text(window.getTitle()),
            root == null ? "" : text(root.getPackageName()),
            window.getParent() != null));
    int first = nodes.size();
    if (root != null) {
      read(root, 0, new HashSet<>());
    }
    if (window.getType() != AccessibilityWindowInfo.TYPE_INPUT_METHOD) {
      top = first;
      topEnd = nodes.size();
    }
  }

  private void read(AccessibilityNodeInfo node, int depth, Set<Long> seen) {
    if (!seen.add(node.getSourceNodeId())) {
      return;
    }
    Rect bounds = new Rect();
    node.getBoundsInScreen(bounds);
    nodes.add(
        new Node(
            depth,
            text(node.getClassName()),
            text(node.getViewIdResourceName()),
            text(node.getText()),
            text(node.getContentDescription()),
            bounds,
            flags(node)));
    int children = node.getChildCount();
    for (int number = 0; number < children; number++) {
      AccessibilityNodeInfo child = node.getChild(number, PREFETCH);
      if (child != null) {
        read(child, depth + 1, seen);
      }
    }
  }

  private static String text(CharSequence text) {
    return text == null ? "" : text.toString();
  }

  private static int flags(AccessibilityNodeInfo node) {
    boolean[] all = {
      node.isEnabled(),
      node.isClickable(),
      node.isLongClickable(),
      node.isScrollable(),
      node.isCheckable(),
      node.isChecked(),
      node.isEditable(),
      node.isFocused(),
      node.isSelected(),
      node.isPassword(),
      node.isVisibleToUser()
    };
    int flags = 0;
    for (int number = 0; number < all.length; number++) {
      flags |= all[number] ? 1 << number : 0;
    }
    return flags;
  }
}
