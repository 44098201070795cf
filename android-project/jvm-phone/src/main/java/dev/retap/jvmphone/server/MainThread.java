package dev.retap.jvmphone.server;

import android.os.Handler;
import android.os.Looper;
import dev.retap.jvmphone.app.AppProcess;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;

/** Main thread of the phone: runs the agent's calls one by one, while their callers wait. */
public final class MainThread {
  private static final LinkedBlockingQueue<Job<?>> WAITING = new LinkedBlockingQueue<>();

  private static volatile Thread thread;

  private MainThread() {}

  /** Makes this thread serve calls, from the next message of the bootstrap's Looper.loop() on. */
  static void start() {
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
        // An app may interrupt its main thread; here it only waits for calls.
        Thread.interrupted();
      }
    }
  }

  /** Posts a message, after those that are queued already. */
  static void post(Runnable work) {
    new Handler(Looper.getMainLooper()).post(work);
  }

  /** Runs the call on the main thread. If the app crashes in it, null is returned. */
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

  /** One call and its result. */
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
        AppProcess.killIfPending();
        value = work.call();
        AppProcess.killIfPending();
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

    /** Returns false if the call is not done after this real time. */
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
