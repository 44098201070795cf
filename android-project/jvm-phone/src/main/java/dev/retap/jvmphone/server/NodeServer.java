package dev.retap.jvmphone.server;

import android.accessibilityservice.AccessibilityServiceInfo;
import android.graphics.Region;
import android.os.Bundle;
import android.view.WindowManager;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;
import android.view.accessibility.IAccessibilityInteractionConnection;
import android.view.accessibility.IAccessibilityInteractionConnectionCallback;
import java.util.ArrayList;
import java.util.List;

/**
 * IAccessibilityServiceConnection: windows and their nodes, queried from each window on the main
 * thread.
 */
public final class NodeServer {
  private final AccessibilityServer server;
  private AccessibilityServiceInfo info;

  NodeServer(AccessibilityServer server, AccessibilityServiceInfo info) {
    this.server = server;
    this.info = info;
  }

  public AccessibilityServiceInfo getServiceInfo() {
    return info;
  }

  public void setServiceInfo(AccessibilityServiceInfo info) {
    this.info = info;
  }

  public AccessibilityWindowInfo.WindowListSparseArray getWindows() {
    AccessibilityWindowInfo.WindowListSparseArray all =
        new AccessibilityWindowInfo.WindowListSparseArray();
    all.put(android.view.Display.DEFAULT_DISPLAY, listed());
    return all;
  }

  public AccessibilityWindowInfo getWindow(int number) {
    return listed().stream().filter(window -> window.getId() == number).findFirst().orElse(null);
  }

  private List<AccessibilityWindowInfo> listed() {
    List<AccessibilityWindowInfo> list = MainThread.call(this::list);
    return list == null ? List.of() : list;
  }

  /** Windows, topmost first, as accessibility lists them. */
  private List<AccessibilityWindowInfo> list() {
    Windows.focus();
    List<AccessibilityWindowInfo> list = new ArrayList<>();
    int layer = 0;
    for (Windows.Shown window : Windows.shown()) {
      Integer number = server.number(window);
      if (number != null) {
        list.add(0, describe(window, number, layer++));
      }
    }
    return list;
  }

  private AccessibilityWindowInfo describe(Windows.Shown window, int number, int layer) {
    AccessibilityWindowInfo info = AccessibilityWindowInfo.obtain();
    WindowManager.LayoutParams params = window.params();
    boolean isSystem = params.type >= WindowManager.LayoutParams.FIRST_SYSTEM_WINDOW;
    boolean isKeyboard = params.type == WindowManager.LayoutParams.TYPE_INPUT_METHOD;
    info.setType(
        isKeyboard
            ? AccessibilityWindowInfo.TYPE_INPUT_METHOD
            : isSystem
                ? AccessibilityWindowInfo.TYPE_SYSTEM
                : AccessibilityWindowInfo.TYPE_APPLICATION);
    info.setConnectionId(AccessibilityServer.CONNECTION);
    info.setId(number);
    info.setLayer(layer);
    info.setTitle(title(params));
    info.setRegionInScreen(new Region(window.bounds()));
    info.setFocused(Windows.isFocused(window));
    info.setActive(Windows.isFocused(window));
    info.setDisplayId(android.view.Display.DEFAULT_DISPLAY);
    Integer parent = window.parent() == null ? null : server.number(window.parent());
    if (parent != null) {
      info.setParentId(parent);
    }
    return info;
  }

  /** Title of a window. The framework titles popups with a number that differs from run to run. */
  private static CharSequence title(WindowManager.LayoutParams params) {
    String title =
        String.valueOf(
            params.accessibilityTitle == null ? params.getTitle() : params.accessibilityTitle);
    return title.startsWith("PopupWindow:") ? "PopupWindow" : title;
  }

  public String[] findAccessibilityNodeInfoByAccessibilityId(
      int window,
      long node,
      int interaction,
      IAccessibilityInteractionConnectionCallback callback,
      int flags,
      long thread,
      Bundle arguments) {
    // UiAutomation's thread would refresh its cache with every event, at another moment in every
    // run. Null makes it drop the entry instead, and the next reader queries again.
    if (Events.isCallbackThread(Thread.currentThread())) {
      return null;
    }
    Answer answer = new Answer(callback);
    String[] packages =
        MainThread.call(
            () -> {
              IAccessibilityInteractionConnection connection = server.connection(resolve(window));
              if (connection == null) {
                return null;
              }
              connection.findAccessibilityNodeInfoByAccessibilityId(
                  node,
                  null,
                  interaction,
                  answer.callback(),
                  flags | wanted(),
                  Server.PID,
                  thread,
                  null,
                  null,
                  arguments);
              return answer.await() ? new String[] {Server.packageName()} : null;
            });
    Events.flushIfPending();
    answer.keep();
    return packages;
  }

  public boolean performAccessibilityAction(
      int window,
      long node,
      int action,
      Bundle arguments,
      int interaction,
      IAccessibilityInteractionConnectionCallback callback,
      long thread) {
    Boolean done =
        MainThread.call(
            () -> {
              IAccessibilityInteractionConnection connection = server.connection(resolve(window));
              if (connection == null) {
                return false;
              }
              Answer answer = new Answer(callback);
              connection.performAccessibilityAction(
                  node,
                  action,
                  arguments,
                  interaction,
                  answer.callback(),
                  wanted(),
                  Server.PID,
                  thread);
              return answer.await();
            });
    Events.flushIfPending();
    return done != null && done;
  }

  /** Service flags in the form that windows expect. */
  private int wanted() {
    int wanted = 0;
    if ((info.flags & AccessibilityServiceInfo.FLAG_INCLUDE_NOT_IMPORTANT_VIEWS) != 0) {
      wanted |= AccessibilityNodeInfo.FLAG_SERVICE_REQUESTS_INCLUDE_NOT_IMPORTANT_VIEWS;
    }
    if ((info.flags & AccessibilityServiceInfo.FLAG_REPORT_VIEW_IDS) != 0) {
      wanted |= AccessibilityNodeInfo.FLAG_SERVICE_REQUESTS_REPORT_VIEW_IDS;
    }
    return wanted;
  }

  private int resolve(int window) {
    if (window != AccessibilityWindowInfo.ACTIVE_WINDOW_ID) {
      return window;
    }
    Windows.Shown top = Windows.top();
    Integer number = top == null ? null : server.number(top);
    return number == null ? -1 : number;
  }
}
