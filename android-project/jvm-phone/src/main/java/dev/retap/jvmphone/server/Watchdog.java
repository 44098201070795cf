package dev.retap.jvmphone.server;

import dev.retap.jvmphone.app.AppProcess;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Sees when the main thread no longer answers, in real time: a busy machine alone is no ANR. */
final class Watchdog {
  /**
   * Of the main thread's own work: an app that comes up in a cold JVM has been seen to take 6 s of
   * it.
   */
  private static final long WORK_MILLIS = 20_000;

  /** Of waiting for something. */
  private static final long STILL_MILLIS = 10_000;

  private static final long LOOK_MILLIS = 250;
  private static final long AFTER_STOP_MILLIS = 5_000;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private Watchdog() {}

  /** How often the main thread was stopped: several may wait for it, and it is told once. */
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
    long still = 0;
    while (!job.await(LOOK_MILLIS)) {
      still = main.getState() == Thread.State.RUNNABLE ? 0 : still + LOOK_MILLIS;
      long spent = (THREADS.getThreadCpuTime(main.getId()) - worked) / 1_000_000;
      if (spent >= WORK_MILLIS || still >= STILL_MILLIS) {
        return false;
      }
    }
    return true;
  }

  /**
   * As the system does with an app that does not answer. A thread that cannot even be stopped ends
   * the phone.
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
      // From Java 20 on no thread can be stopped: the phone ends below, and the next one takes its
      // place.
      System.err.println("warning: this JVM stops no threads; Java 17 does");
    }
    if (!job.await(AFTER_STOP_MILLIS)) {
      System.err.println("error: the app's main thread cannot be stopped");
      Runtime.getRuntime().halt(3);
    }
  }
}
