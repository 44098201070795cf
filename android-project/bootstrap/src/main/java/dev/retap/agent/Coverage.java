package dev.retap.agent;

import java.util.concurrent.Callable;

/**
 * Which branches of an app have run, where something counts them. Nothing does unless it says so
 * here: phones have none.
 */
public final class Coverage {
  private static volatile Counter counter;

  private Coverage() {}

  /**
   * Told before the agent begins: `ran` gives the numbers, below `total`, of the branches that ran
   * since it last did.
   */
  public static void count(String packageName, int total, Callable<int[]> ran) {
    counter = new Counter(packageName, total, ran);
  }

  static boolean isCounted() {
    return counter != null;
  }

  /** How many branches the app has; 0 if nobody counts them. */
  static int total(String packageName) {
    Counter now = counter;
    return now != null && now.packageName.equals(packageName) ? now.total : 0;
  }

  /** Null if nobody counts them. */
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
