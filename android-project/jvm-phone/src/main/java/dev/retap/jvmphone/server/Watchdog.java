package dev.retap.jvmphone.server;

import dev.retap.jvmphone.app.AppProcess;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Detects a main thread that does not respond. Measures its CPU time and waits, so that a busy
 * machine alone is not an ANR.
 */
final class Watchdog {
  /** Limit for CPU time of the main thread: an app's start in a cold JVM has taken 6 s. */
  private static final long WORK_MILLIS = 20_000;

  /** Limit for waiting. */
  private static final long WAIT_MILLIS = 10_000;

  private static final long POLL_MILLIS = 250;
  private static final long AFTER_STOP_MILLIS = 5_000;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private Watchdog() {}

  /**
   * Number of times that the main thread was stopped: several callers may wait for it, and only one
   * reports.
   */
  private static volatile int stops;

  static void await(MainThread.Job<?> job) {
    try {
      for (int before = stops; !inTime(job); before = stops) {
        end(job, before);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean inTime(MainThread.Job<?> job) throws InterruptedException {
    Thread main = MainThread.current();
    long worked = THREADS.getThreadCpuTime(main.getId());
    long waited = 0;
    while (!job.await(POLL_MILLIS)) {
      waited = main.getState() == Thread.State.RUNNABLE ? 0 : waited + POLL_MILLIS;
      long spent = (THREADS.getThreadCpuTime(main.getId()) - worked) / 1_000_000;
      if (spent >= WORK_MILLIS || waited >= WAIT_MILLIS) {
        return false;
      }
    }
    return true;
  }

  /**
   * Reports an ANR and stops the main thread, as the system does. If that fails, the phone ends.
   */
  @SuppressWarnings({"deprecation", "removal"})
  private static synchronized void end(MainThread.Job<?> job, int before)
      throws InterruptedException {
    if (stops != before) {
      return;
    }
    stops = before + 1;
    Thread main = MainThread.current();
    AppProcess.notResponding(main.getStackTrace());
    try {
      main.stop();
    } catch (UnsupportedOperationException e) {
      // From Java 20 on threads cannot be stopped: the phone ends below and is replaced.
      System.err.println("warning: this JVM stops no threads; Java 17 does");
    }
    if (!job.await(AFTER_STOP_MILLIS)) {
      System.err.println("error: the app's main thread cannot be stopped");
      Runtime.getRuntime().halt(3);
    }
  }
}
