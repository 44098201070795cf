package android.os;

import java.util.concurrent.CountDownLatch;

public final class Looper {
  private static Looper main;

  public static void prepareMainLooper() {
    main = new Looper();
  }

  public static Looper getMainLooper() {
    return main;
  }

  public static void loop() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
