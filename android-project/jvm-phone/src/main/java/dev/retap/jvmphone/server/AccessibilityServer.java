package dev.retap.jvmphone.server;

import android.accessibilityservice.AccessibilityServiceInfo;
import android.accessibilityservice.IAccessibilityServiceClient;
import android.accessibilityservice.IAccessibilityServiceConnection;
import android.os.Binder;
import android.os.IBinder;
import android.os.RemoteException;
import android.os.SystemClock;
import android.view.IWindow;
import android.view.accessibility.AccessibilityEvent;
import android.view.accessibility.AccessibilityManager;
import android.view.accessibility.IAccessibilityInteractionConnection;
import android.view.accessibility.IAccessibilityManager;
import java.io.File;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowAccessibilityManager;
import org.robolectric.util.ReflectionHelpers;

/** IAccessibilityManager: the connections of all windows, and one service, the agent's. */
public final class AccessibilityServer {
  public static final int CONNECTION = 1;

  /** File that exists while another process holds the phone's only UiAutomation connection. */
  private static final File HELD = new File(System.getProperty("retap.automation.held", ""));

  private final Map<Integer, IAccessibilityInteractionConnection> connections = new HashMap<>();
  private final Map<IBinder, Integer> numbers = new HashMap<>();
  private IAccessibilityServiceClient service;
  private int lastNumber;
  private volatile long lastEvent;

  /** Windows and bounds last reported to the service. */
  private List<Object> reported = List.of();

  /**
   * Connects to a new framework. Must run before the framework adds its first window: windows
   * register themselves if accessibility is enabled.
   */
  void attach() {
    connections.clear();
    numbers.clear();
    Windows.forget();
    AccessibilityManager manager =
        AccessibilityManager.getInstance(RuntimeEnvironment.getApplication());
    ReflectionHelpers.setField(
        manager,
        "mService",
        ReflectionHelpers.createDelegatingProxy(IAccessibilityManager.class, this));
    // All event types.
    ReflectionHelpers.setField(manager, "mRelevantEventTypes", -1);
    ShadowAccessibilityManager shadow = Shadow.extract(manager);
    shadow.setEnabled(true);
  }

  public void registerUiTestAutomationService(
      IBinder owner,
      IAccessibilityServiceClient client,
      AccessibilityServiceInfo info,
      int userId,
      int flags)
      throws RemoteException {
    if (HELD.exists()) {
      throw new IllegalStateException("UiAutomationService " + client + "already registered!");
    }
    service = client;
    IAccessibilityServiceConnection connection =
        ReflectionHelpers.createDelegatingProxy(
            IAccessibilityServiceConnection.class, new NodeServer(this, info));
    client.init(connection, CONNECTION, new Binder());
  }

  public void unregisterUiTestAutomationService(IAccessibilityServiceClient client) {
    service = null;
  }

  public int addAccessibilityInteractionConnection(
      IWindow window,
      IBinder leash,
      IAccessibilityInteractionConnection connection,
      String packageName,
      int userId) {
    int number = ++lastNumber;
    connections.put(number, connection);
    numbers.put(window.asBinder(), number);
    return number;
  }

  public void removeAccessibilityInteractionConnection(IWindow window) {
    connections.remove(numbers.remove(window.asBinder()));
  }

  public void sendAccessibilityEvent(AccessibilityEvent event, int userId) throws RemoteException {
    if (service != null) {
      send(event);
    }
  }

  private void send(AccessibilityEvent event) throws RemoteException {
    lastEvent = event.getEventTime();
    Events.sent();
    service.onAccessibilityEvent(event, true);
  }

  long lastEvent() {
    return lastEvent;
  }

  /**
   * Sends an event if a window was added, removed or moved. Services cache the list of windows
   * until then.
   */
  void reportWindows() throws RemoteException {
    List<Object> now = new ArrayList<>();
    for (Windows.Shown window : Windows.shown()) {
      now.add(number(window));
      now.add(window.bounds());
    }
    if (service != null && !now.equals(reported)) {
      reported = now;
      AccessibilityEvent event =
          AccessibilityEvent.obtainWindowsChangedEvent(
              android.view.Display.DEFAULT_DISPLAY, -1, AccessibilityEvent.WINDOWS_CHANGE_ADDED);
      event.setEventTime(SystemClock.uptimeMillis());
      send(event);
    }
  }

  IAccessibilityInteractionConnection connection(int number) {
    return connections.get(number);
  }

  /** Number of a window; null if it is not accessible. */
  Integer number(Windows.Shown window) {
    return numbers.get(window.token());
  }
}
