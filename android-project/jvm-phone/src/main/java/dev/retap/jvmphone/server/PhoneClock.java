package dev.retap.jvmphone.server;

import android.os.Looper;
import android.os.SystemClock;
import dev.retap.jvmphone.app.AppProcess;
import java.time.Duration;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowPausedLooper;
import org.robolectric.shadows.ShadowSystemClock;

/** Time, and everything that comes due while it passes. */
public final class PhoneClock {
  /** An app that posts to itself without end gets on in time all the same. */
  private static final int MESSAGES_AN_INSTANT = 2_000;

  /** Of one message's own sleep, by the phone's clock. */
  private static final long ANR_MILLIS = 5_000;

  private static long slept;

  /** What came up while time passed, which nobody asked for at that moment. */
  private static Unsupported refusal;

  private PhoneClock() {}

  /**
   * The agent's sleep lets time pass; an app's thread waits for it to pass; its main thread stands
   * still meanwhile.
   */
  public static void sleep(long millis) {
    if (MainThread.isCurrent()) {
      standStill(millis);
    } else if (AppProcess.owns(Thread.currentThread())) {
      Sleepers.sleep(millis);
    } else if (AppProcess.hasEnded(Thread.currentThread())) {
      throw new ThreadDeath();
    } else {
      MainThread.call(() -> pass(millis));
      Events.arrive();
    }
  }

  /** Runs what comes due, message by message, until so much time has passed. */
  static Void pass(long millis) {
    long end = SystemClock.uptimeMillis() + Math.max(millis, 0);
    run(end);
    to(end);
    run(end);
    return null;
  }

  /** Runs what is due now. */
  static void run() {
    run(SystemClock.uptimeMillis());
  }

  /**
   * Robolectric waits for an idle main thread when a display changes: bounded, since an app may ask
   * for the next frame in each. False if it waits for something else, which is then its own
   * business.
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
      Background.settle();
      long next = looper.getNextScheduledTaskTime().toMillis();
      if (next == 0 || next > end) {
        // A window that comes to the front is told so by a message.
        if (Windows.focus()) {
          continue;
        }
        return;
      }
      to(next);
      slept = 0;
      guarded(looper::runOneTask);
      if (SystemClock.uptimeMillis() != instant) {
        instant = SystemClock.uptimeMillis();
        messages = 0;
      } else if (++messages > MESSAGES_AN_INSTANT) {
        if (instant >= end) {
          return;
        }
        to(instant + 1);
      }
    }
  }

  /** An app that fails while time passes is gone from then on; time goes on. */
  private static void guarded(Runnable work) {
    try {
      work.run();
    } catch (Unsupported e) {
      refusal = e;
    } catch (Throwable e) {
      if (AppProcess.failed(Thread.currentThread(), e) instanceof Unsupported unsupported) {
        refusal = unsupported;
      }
    }
  }

  /** Tells, once, whoever asks for something next. */
  static void refuse() {
    Unsupported told = refusal;
    refusal = null;
    if (told != null) {
      throw told;
    }
  }

  /** Of an app that is stopped: the next start is another matter. */
  static void forgetRefusal() {
    refusal = null;
  }

  private static void to(long millis) {
    long now = SystemClock.uptimeMillis();
    if (millis > now) {
      ShadowSystemClock.advanceBy(Duration.ofMillis(millis - now));
      Sleepers.wake();
    }
  }

  /**
   * What an app's main thread does while it sleeps is nothing: after some seconds the system ends
   * it.
   */
  private static void standStill(long millis) {
    slept += millis;
    if (slept >= ANR_MILLIS) {
      AppProcess.notResponding(Thread.currentThread().getStackTrace());
      throw new ThreadDeath();
    }
    to(SystemClock.uptimeMillis() + millis);
  }
}
