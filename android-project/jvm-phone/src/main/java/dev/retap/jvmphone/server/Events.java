package dev.retap.jvmphone.server;

import android.os.Looper;
import java.util.List;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowAccessibilityManager;
import org.robolectric.shadows.ShadowLooper;
import org.robolectric.shadows.ShadowPausedLooper;
import org.robolectric.shadows.ShadowToast;
import org.robolectric.util.ReflectionHelpers;

/** Accessibility events in transit: UiAutomation delivers them to the agent on its own thread. */
final class Events {
  private static final String THREAD = "UiAutomation";

  private Events() {}

  private static volatile boolean pending;

  /** Marks an event as sent. */
  static void sent() {
    pending = true;
  }

  /** Calls flush if an event was sent: phone time may have passed unnoticed. */
  static void flushIfPending() {
    if (pending) {
      flush();
    }
  }

  /** Returns when all sent events are delivered. */
  static void flush() {
    MainThread.call(
        () -> {
          PhoneClock.run();
          Server.reportWindows();
          clearRobolectricRecords();
          return null;
        });
    pending = false;
    for (Looper looper : ShadowLooper.getAllLoopers()) {
      if (isCallbackThread(looper.getThread()) && looper.getThread().isAlive()) {
        ShadowPausedLooper callbacks = Shadow.extract(looper);
        // Left alone, it would take them at another moment in every run.
        callbacks.pause();
        callbacks.idle();
      }
    }
  }

  /** Whether a thread is the one on which the agent receives events. */
  static boolean isCallbackThread(Thread thread) {
    return thread.getName().equals(THREAD);
  }

  /**
   * Clears what Robolectric records for tests: nothing reads it here, and it would fill the memory.
   */
  private static void clearRobolectricRecords() {
    AppLog.take();
    ShadowToast.reset();
    List<?> sent =
        ReflectionHelpers.getStaticField(
            ShadowAccessibilityManager.class, "sentAccessibilityEvents");
    sent.clear();
  }
}
