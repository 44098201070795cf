package dev.retap.agent;

import java.util.concurrent.Callable;

/** Branch coverage of an app. On phones nothing counts branches, and no counter is registered. */
public final class Coverage {
  private static volatile Counter counter;

  private Coverage() {}

  /**
   * Registers a counter, before the agent starts. {@code ran} returns the branches, numbered below
   * {@code total}, that ran since its last call.
   */
  public static void count(String packageName, int total, Callable<int[]> ran) {
    counter = new Counter(packageName, total, ran);
  }

  static boolean isCounted() {
    return counter != null;
  }

  /** Number of branches of the app; 0 without a counter. */
  static int total(String packageName) {
    Counter now = counter;
    return now != null && now.packageName.equals(packageName) ? now.total : 0;
  }

  /** Branches that ran since the last call; null without a counter. */
  static int[] take() throws Exception {
    Counter now = counter;
    return now == null ? null : now.ran.call();
  }

  private static final class Counter {
    final String packageName;
    final int total;
    final Callable<int[]> ran;

    Counter(String packageName, int total, Callable<int[]> ran) {
      this.packageName = packageName;
      this.total = total;
      this.ran = ran;
    }
  }
}
