package dev.retap.jvmphone.server;

import android.os.Handler;
import android.os.Looper;
import dev.retap.jvmphone.app.AppProcess;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;

/** The phone's main thread: the agent's calls are handed over to it one by one, and waited for. */
public final class MainThread {
  private static final LinkedBlockingQueue<Job<?>> WAITING = new LinkedBlockingQueue<>();

  private static volatile Thread thread;

  private MainThread() {}

  /** From the next turn of the bootstrap's Looper.loop() on, this thread does what it is handed. */
  static void take() {
    thread = Thread.currentThread();
    new Handler(Looper.getMainLooper()).post(MainThread::serve);
  }

  public static boolean isCurrent() {
    return Thread.currentThread() == thread;
  }

  public static Thread current() {
    return thread;
  }

  private static void serve() {
    while (true) {
      try {
        WAITING.take().run();
      } catch (InterruptedException e) {
        // An app may interrupt its main thread; this one only waits for work.
        Thread.interrupted();
      }
    }
  }

  /** With the next message, after those that wait already. */
  static void post(Runnable work) {
    new Handler(Looper.getMainLooper()).post(work);
  }

  /**
   * Does the work on the main thread. An app that fails in it has crashed, and the call returns
   * null.
   */
  public static <T> T call(Callable<T> work) {
    Job<T> job = new Job<>(work);
    if (isCurrent()) {
      job.run();
      return job.result();
    }
    WAITING.add(job);
    Watchdog.await(job);
    return job.result();
  }

  /** One piece of work and what became of it. */
  static final class Job<T> {
    private final Callable<T> work;
    private T value;
    private RuntimeException refusal;
    private boolean done;

    Job(Callable<T> work) {
      this.work = work;
    }

    void run() {
      try {
        AppProcess.reap();
        value = work.call();
        AppProcess.reap();
      } catch (Unsupported e) {
        refusal = e.toCaller();
      } catch (Throwable e) {
        RuntimeException failed = AppProcess.failed(thread, e);
        refusal = failed instanceof Unsupported unsupported ? unsupported.toCaller() : failed;
      } finally {
        finish();
      }
    }

    private synchronized void finish() {
      done = true;
      notifyAll();
    }

    /** False if it is not done after so many real milliseconds. */
    synchronized boolean await(long millis) throws InterruptedException {
      if (!done) {
        wait(millis);
      }
      return done;
    }

    T result() {
      if (refusal != null) {
        throw refusal;
      }
      return value;
    }
  }
}
