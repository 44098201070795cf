package dev.retap.jvmphone.server;

import dev.retap.jvmphone.app.AppProcess;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for the app's other threads. They run in real time, so the phone waits until they are idle
 * before it continues. Their messages to the main thread then arrive at the same phone time in
 * every run, however busy the machine is.
 */
final class Background {
  /**
   * CPU time that a thread may use before it is no longer waited for, until it has been idle once.
   */
  private static final long WORK_NANOS = 300_000_000;

  /**
   * Real time that a thread may spend without CPU time: it waits for a file, the network or another
   * thread.
   */
  private static final long WAIT_NANOS = 300_000_000;

  private static final long POLL_NANOS = 100_000;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Threads that are no longer waited for. */
  private static final Set<Thread> TIMED_OUT = Collections.newSetFromMap(new WeakHashMap<>());

  private Background() {}

  /** Returns when each thread is idle or has reached its limit. */
  static void awaitIdle() {
    List<Thread> busy = AppProcess.busy();
    TIMED_OUT.retainAll(busy);
    busy.removeAll(TIMED_OUT);
    if (!busy.isEmpty()) {
      await(busy);
    }
  }

  private static void await(List<Thread> busy) {
    Map<Thread, Wait> waits = new java.util.HashMap<>();
    while (!busy.isEmpty()) {
      for (Thread thread : new ArrayList<>(busy)) {
        if (waits.computeIfAbsent(thread, Wait::new).isOver()) {
          TIMED_OUT.add(thread);
        }
      }
      LockSupport.parkNanos(POLL_NANOS);
      busy = AppProcess.busy();
      busy.removeAll(TIMED_OUT);
    }
  }

  /** Time spent waiting for one thread. */
  private static final class Wait {
    private final Thread thread;
    private final long workedBefore;
    private long worked;
    private long since = System.nanoTime();

    Wait(Thread thread) {
      this.thread = thread;
      this.workedBefore = THREADS.getThreadCpuTime(thread.getId());
      this.worked = workedBefore;
    }

    boolean isOver() {
      long now = THREADS.getThreadCpuTime(thread.getId());
      if (now != worked || AppProcess.isScheduled(thread)) {
        worked = now;
        since = System.nanoTime();
      }
      return worked - workedBefore > WORK_NANOS || System.nanoTime() - since > WAIT_NANOS;
    }
  }
}
