package dev.retap.jvmphone.server;

import android.os.Looper;
import java.util.List;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowAccessibilityManager;
import org.robolectric.shadows.ShadowLog;
import org.robolectric.shadows.ShadowLooper;
import org.robolectric.shadows.ShadowPausedLooper;
import org.robolectric.shadows.ShadowToast;
import org.robolectric.util.ReflectionHelpers;

/**
 * Accessibility events on their way: UiAutomation takes them, and tells the agent, on a thread of
 * its own.
 */
final class Events {
  private static final String THREAD = "UiAutomation";

  private Events() {}

  private static volatile boolean pending;

  /** One is on its way from now on. */
  static void sent() {
    pending = true;
  }

  /** Like arrive, for whoever may have let time pass without asking for it. */
  static void arriveIfSent() {
    if (pending) {
      arrive();
    }
  }

  /** Returns when all that were sent have arrived. */
  static void arrive() {
    MainThread.call(
        () -> {
          PhoneClock.run();
          Server.tellOfWindows();
          forgetRecords();
          return null;
        });
    pending = false;
    for (Looper looper : ShadowLooper.getAllLoopers()) {
      if (isTeller(looper.getThread()) && looper.getThread().isAlive()) {
        ShadowPausedLooper teller = Shadow.extract(looper);
        // It would take them by itself, at a moment that is another one in every run.
        teller.pause();
        teller.idle();
      }
    }
  }

  /** Whether it is the thread on which the agent hears of events. */
  static boolean isTeller(Thread thread) {
    return thread.getName().equals(THREAD);
  }

  /**
   * What Robolectric writes down for tests to read: nobody does here, and it would fill the memory.
   */
  private static void forgetRecords() {
    ShadowLog.clear();
    ShadowToast.reset();
    List<?> sent =
        ReflectionHelpers.getStaticField(
            ShadowAccessibilityManager.class, "sentAccessibilityEvents");
    sent.clear();
  }
}
