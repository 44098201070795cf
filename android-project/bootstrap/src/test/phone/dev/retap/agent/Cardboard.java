package dev.retap.agent;

import android.app.IActivityController;
import android.app.UiAutomation;
import android.os.RemoteException;
import android.os.SystemClock;
import android.view.accessibility.AccessibilityEvent;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * A phone of cardboard: as much of the framework as the agent talks to, under the framework's own
 * names, in plain Java. One app with a counter that every tap raises, and that crashes when it is
 * tapped far below. Put in front of the real framework's classes, it lets the very library and
 * bootstrap that phones get run from their start to a host's requests.
 */
public final class Cardboard {
  public static final String PACKAGE = "com.example.cardboard";
  public static final String ACTIVITY = "com.example.cardboard.Main";
  public static final int WIDTH = 108;
  public static final int HEIGHT = 192;
  private static final int CRASH_BELOW = 150;

  /** Set to count branches: one of a tap, and one of a tap far below. */
  private static final boolean COUNTS = Boolean.getBoolean("phone.counts");

  private static final int BRANCHES = 2;
  private static final Set<Integer> RAN = new ConcurrentSkipListSet<>();

  public static volatile int taps;
  public static volatile IActivityController controller;
  public static volatile UiAutomation.OnAccessibilityEventListener listener;

  private Cardboard() {}

  /** As soon as the bootstrap asks for its context. */
  public static void boot() {
    if (COUNTS) {
      Coverage.count(PACKAGE, BRANCHES, Cardboard::takeBranches);
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
