package dev.retap.jvmphone.server;

import android.os.Looper;
import android.os.SystemClock;
import dev.retap.jvmphone.app.AppProcess;
import java.time.Duration;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowPausedLooper;
import org.robolectric.shadows.ShadowSystemClock;

/** Phone time, and the messages that are due while it passes. */
public final class PhoneClock {
  /**
   * Limit of messages at one instant: an app that posts to itself without end must not stop the
   * clock.
   */
  private static final int MESSAGES_AN_INSTANT = 2_000;

  /** Sleep of one message, in phone time, after which it is an ANR. */
  private static final long ANR_MILLIS = 5_000;

  private static long slept;

  /** Unsupported feature that the app needed while time passed, not yet reported to a caller. */
  private static Unsupported pending;

  private PhoneClock() {}

  /**
   * Sleeps in phone time. The agent's sleep advances the clock; a thread of the app waits for it;
   * the app's main thread is blocked meanwhile.
   */
  public static void sleep(long millis) {
    if (MainThread.isCurrent()) {
      blockMainThread(millis);
    } else if (AppProcess.owns(Thread.currentThread())) {
      Sleepers.sleep(millis);
    } else if (AppProcess.hasEnded(Thread.currentThread())) {
      throw new ThreadDeath();
    } else {
      MainThread.call(() -> pass(millis));
      Events.flush();
    }
  }

  /** Advances the clock and runs the messages that are due, in order. */
  static Void pass(long millis) {
    long end = SystemClock.uptimeMillis() + Math.max(millis, 0);
    run(end);
    advanceTo(end);
    run(end);
    return null;
  }

  /** Runs messages that are due now. */
  static void run() {
    run(SystemClock.uptimeMillis());
  }

  /**
   * Replaces Robolectric's wait for an idle main thread during a rotation. Bounded, since an app
   * may request a frame in every frame. Returns false in other cases, which Robolectric handles.
   */
  public static boolean idle() {
    if (!MainThread.isCurrent() || !Display.isTurning()) {
      return false;
    }
    run();
    return true;
  }

  private static void run(long end) {
    ShadowPausedLooper looper = Shadow.extract(Looper.getMainLooper());
    long instant = SystemClock.uptimeMillis();
    int messages = 0;
    while (true) {
      Background.awaitIdle();
      long next = looper.getNextScheduledTaskTime().toMillis();
      if (next == 0 || next > end) {
        // A window that gains the focus is notified by a message.
        if (Windows.focus()) {
          continue;
        }
        return;
      }
      advanceTo(next);
      slept = 0;
      guarded(looper::runOneTask);
      if (SystemClock.uptimeMillis() != instant) {
        instant = SystemClock.uptimeMillis();
        messages = 0;
      } else if (++messages > MESSAGES_AN_INSTANT) {
        if (instant >= end) {
          return;
        }
        advanceTo(instant + 1);
      }
    }
  }

  /** Runs a message. If the app crashes in it, its process ends and the clock continues. */
  private static void guarded(Runnable work) {
    try {
      work.run();
    } catch (Unsupported e) {
      pending = e;
    } catch (Throwable e) {
      if (AppProcess.failed(Thread.currentThread(), e) instanceof Unsupported unsupported) {
        pending = unsupported;
      }
    }
  }

  /** Throws the pending error, once, to the next caller. */
  static void throwPending() {
    Unsupported thrown = pending;
    pending = null;
    if (thrown != null) {
      throw thrown;
    }
  }

  /** Drops the pending error of an app that is stopped. */
  static void clearPending() {
    pending = null;
  }

  private static void advanceTo(long millis) {
    long now = SystemClock.uptimeMillis();
    if (millis > now) {
      ShadowSystemClock.advanceBy(Duration.ofMillis(millis - now));
      Sleepers.wake();
    }
  }

  /** Blocks the app's main thread. After some seconds it is an ANR. */
  private static void blockMainThread(long millis) {
    slept += millis;
    if (slept >= ANR_MILLIS) {
      AppProcess.notResponding(Thread.currentThread().getStackTrace());
      throw new ThreadDeath();
    }
    advanceTo(SystemClock.uptimeMillis() + millis);
  }
}
