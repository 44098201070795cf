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
 * The app's other threads: they run in real time, so the phone waits for them to have nothing to do
 * before it goes on. What they tell the main thread then comes at the same moment in every run,
 * however busy the machine is.
 */
final class Background {
  /**
   * Of a thread's own work: one that does more is no longer waited for until it has been seen to
   * wait.
   */
  private static final long WORK_NANOS = 300_000_000;

  /**
   * Of the machine's time, for one that does not work either: it waits for a file, a network or
   * another thread.
   */
  private static final long STILL_NANOS = 300_000_000;

  private static final long LOOK_NANOS = 100_000;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Who has had their time. */
  private static final Set<Thread> GIVEN_UP = Collections.newSetFromMap(new WeakHashMap<>());

  private Background() {}

  /** Returns when each of them waits for something, or has been waited for long enough. */
  static void settle() {
    List<Thread> busy = AppProcess.busy();
    GIVEN_UP.retainAll(busy);
    busy.removeAll(GIVEN_UP);
    if (!busy.isEmpty()) {
      await(busy);
    }
  }

  private static void await(List<Thread> busy) {
    Map<Thread, Wait> waits = new java.util.HashMap<>();
    while (!busy.isEmpty()) {
      for (Thread thread : new ArrayList<>(busy)) {
        if (waits.computeIfAbsent(thread, Wait::new).isOver()) {
          GIVEN_UP.add(thread);
        }
      }
      LockSupport.parkNanos(LOOK_NANOS);
      busy = AppProcess.busy();
      busy.removeAll(GIVEN_UP);
    }
  }

  /** How long one of them is waited for. */
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
      return worked - workedBefore > WORK_NANOS || System.nanoTime() - since > STILL_NANOS;
    }
  }
}
