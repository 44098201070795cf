package dev.retap.agent;

import android.app.IActivityController;
import android.app.UiAutomation;
import android.os.RemoteException;
import android.os.SystemClock;
import android.view.accessibility.AccessibilityEvent;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * Fake of the parts of the framework that the agent uses, under the framework's own names, in plain
 * Java. It has one app with a counter: each tap increments it, and a tap near the bottom crashes.
 * Placed before the real framework on the class path, it runs the unchanged library and bootstrap
 * from their start to a host's requests.
 */
public final class FakePhone {
  public static final String PACKAGE = "com.example.fake";
  public static final String ACTIVITY = "com.example.fake.Main";
  public static final int WIDTH = 108;
  public static final int HEIGHT = 192;
  private static final int CRASH_BELOW = 150;

  /** Enables branch counting: branch 0 is a tap, branch 1 a tap that crashes. */
  private static final boolean COUNTS = Boolean.getBoolean("phone.counts");

  private static final int BRANCHES = 2;
  private static final Set<Integer> RAN = new ConcurrentSkipListSet<>();

  public static volatile int taps;
  public static volatile IActivityController controller;
  public static volatile UiAutomation.OnAccessibilityEventListener listener;

  private FakePhone() {}

  /** Called when the bootstrap requests its context. */
  public static void boot() {
    if (COUNTS) {
      Coverage.count(PACKAGE, BRANCHES, FakePhone::takeBranches);
    }
  }

  private static int[] takeBranches() {
    int[] ran = RAN.stream().mapToInt(Integer::intValue).toArray();
    RAN.clear();
    return ran;
  }

  public static void tap(float y) {
    taps++;
    RAN.add(y < CRASH_BELOW ? 0 : 1);
    listener.onAccessibilityEvent(new AccessibilityEvent(SystemClock.uptimeMillis()));
    if (y < CRASH_BELOW) {
      return;
    }
    try {
      String error = "java.lang.IllegalStateException";
      controller.appCrashed(
          PACKAGE,
          1,
          error,
          error + ": torn",
          0,
          error + ": torn\n\tat " + ACTIVITY + ".tear(Main.java:7)");
    } catch (RemoteException e) {
      throw new AssertionError(e);
    }
  }
}
