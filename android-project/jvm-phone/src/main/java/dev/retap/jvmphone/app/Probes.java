package dev.retap.jvmphone.app;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Probes of the app that have run. The preparation has inserted them (prepare/Counted). */
public final class Probes {
  /** Probes of the classes that the running process has used, by the number of the first one. */
  private static final Map<Integer, boolean[]> USED = new HashMap<>();

  /** Probes that ran in processes that have ended since the last call of take. */
  private static int[] ended = {};

  private Probes() {}

  /**
   * Returns the probes of a class. Called by each class of the app on first use, possibly by
   * several threads.
   */
  public static synchronized boolean[] of(int first, int count) {
    if (AppThreads.hasEnded(Thread.currentThread())) {
      return new boolean[count];
    }
    return USED.computeIfAbsent(first, ignored -> new boolean[count]);
  }

  /**
   * Numbers of the probes that ran since the last call, in no order. A probe that runs again is
   * returned again.
   */
  public static synchronized int[] take() {
    int[] taken = ran();
    ended = new int[0];
    return taken;
  }

  /** Ends the process: its classes keep their probe arrays, which are no longer read. */
  public static synchronized void end() {
    ended = ran();
    USED.clear();
  }

  private static int[] ran() {
    int[] ran = Arrays.copyOf(ended, ended.length + 1_024);
    int length = ended.length;
    for (Map.Entry<Integer, boolean[]> entry : USED.entrySet()) {
      int first = entry.getKey();
      boolean[] probes = entry.getValue();
      for (int i = 0; i < probes.length; i++) {
        if (probes[i]) {
          probes[i] = false;
          if (length == ran.length) {
            ran = Arrays.copyOf(ran, 2 * length);
          }
          ran[length++] = first + i;
        }
      }
    }
    return Arrays.copyOf(ran, length);
  }
}
