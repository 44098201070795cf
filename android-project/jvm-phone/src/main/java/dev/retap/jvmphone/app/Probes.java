package dev.retap.jvmphone.app;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Which of the app's probes have run: the preparation has put them into its classes
 * (prepare/Counted).
 */
public final class Probes {
  /** Of the classes that the running process has used, by the number of their first one. */
  private static final Map<Integer, boolean[]> USED = new HashMap<>();

  /** What processes that have ended since were seen to run. */
  private static int[] ended = {};

  private Probes() {}

  /** Called by each class of the app when it first runs, maybe by several threads at once. */
  public static synchronized boolean[] of(int first, int count) {
    if (AppThreads.hasEnded(Thread.currentThread())) {
      return new boolean[count];
    }
    return USED.computeIfAbsent(first, ignored -> new boolean[count]);
  }

  /**
   * The numbers of those that ran since the last call, in no order. What runs again is told again.
   */
  public static synchronized int[] take() {
    int[] taken = ran();
    ended = new int[0];
    return taken;
  }

  /** The process has ended: its classes keep their probes, and nobody looks at them again. */
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
