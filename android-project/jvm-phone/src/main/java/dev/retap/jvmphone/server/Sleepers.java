package dev.retap.jvmphone.server;

import android.os.SystemClock;

/** Sleeping threads of the app, which wake by the phone's clock. */
final class Sleepers {
  private static final Object CLOCK = new Object();

  private Sleepers() {}

  static void sleep(long millis) {
    long end = SystemClock.uptimeMillis() + millis;
    synchronized (CLOCK) {
      while (SystemClock.uptimeMillis() < end) {
        try {
          CLOCK.wait();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }

  static void wake() {
    synchronized (CLOCK) {
      CLOCK.notifyAll();
    }
  }
}
