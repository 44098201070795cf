package dev.retap.jvmphone.app;

import android.os.Looper;
import dev.retap.jvmphone.server.MainThread;
import dev.retap.jvmphone.server.Server;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.robolectric.shadows.ShadowLooper;

/**
 * Threads that the app has started, known by their context class loader and the main thread's
 * group.
 */
final class AppThreads {
  /**
   * Names of the framework's threads, created on first use; on a phone each process has its own.
   */
  private static final List<String> FRAMEWORKS =
      List.of("AsyncTask #", "queued-work-looper", "magnifier pixel copy result handler");

  /** Context class loader of threads of ended processes: their own would keep the process alive. */
  private static final ClassLoader ENDED = new ClassLoader(AppThreads.class.getClassLoader()) {};

  private AppThreads() {}

  /** Installs the default exception handler, as the runtime does before the app's first line. */
  static void begin(ClassLoader loader) {
    for (Thread thread : all()) {
      if (thread != null && isFrameworks(thread)) {
        thread.setContextClassLoader(loader);
      }
    }
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, error) -> {
          if (hasEnded(thread)) {
            return;
          }
          Server.controller().crashed(error);
          if (!MainThread.isCurrent()) {
            AppProcess.killLater();
          }
        });
  }

  private static boolean isFrameworks(Thread thread) {
    return FRAMEWORKS.stream().anyMatch(thread.getName()::startsWith);
  }

  static Thread.UncaughtExceptionHandler handler() {
    return Thread.getDefaultUncaughtExceptionHandler();
  }

  /**
   * Ends the threads of a process. A JVM cannot kill them as a phone does: they are interrupted,
   * and end at the latest when they next sleep. A thread in the app's own Object.wait is stopped:
   * it might wait again after each interrupt. A looper is quit: interrupted, it would poll for
   * messages without end. Loopers of the framework keep waiting.
   */
  static void end(ClassLoader loader) {
    Map<Thread, Looper> loopers = new HashMap<>();
    ShadowLooper.getAllLoopers().forEach(looper -> loopers.put(looper.getThread(), looper));
    for (Thread thread : all()) {
      if (thread != null
          && thread != MainThread.current()
          && thread.getContextClassLoader() == loader) {
        thread.setContextClassLoader(ENDED);
        if (loopers.containsKey(thread)) {
          if (!isFrameworks(thread)) {
            loopers.get(thread).quit();
          }
        } else if (waitsInApp(thread) && !isFrameworks(thread)) {
          stop(thread);
        } else {
          thread.interrupt();
        }
      }
    }
    Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {});
    Scheduled.forget();
  }

  /**
   * Whether a thread is in Object.wait with the app's code on its stack. Only there a thread can be
   * stopped safely: stopped in a concurrent queue it remains enqueued, and the next waiter is never
   * signalled. Pools of the framework are excluded: they serve others too.
   */
  private static boolean waitsInApp(Thread thread) {
    StackTraceElement[] stack = thread.getStackTrace();
    return stack.length > 0
        && stack[0].getClassName().equals("java.lang.Object")
        && Arrays.stream(stack).anyMatch(frame -> AppLoader.hasLoaded(frame.getClassName()));
  }

  @SuppressWarnings({"deprecation", "removal"})
  private static void stop(Thread thread) {
    thread.stop();
  }

  static boolean owns(Thread thread) {
    return AppProcess.runs()
        && thread != MainThread.current()
        && thread.getContextClassLoader() == AppProcess.loader();
  }

  static boolean hasEnded(Thread thread) {
    return thread.getContextClassLoader() == ENDED;
  }

  /** Threads that have work to do: running, waiting for a lock, or woken. */
  static List<Thread> busy() {
    List<Thread> busy = new ArrayList<>();
    for (Thread thread : all()) {
      if (thread != null && owns(thread) && isBusy(thread)) {
        busy.add(thread);
      }
    }
    return busy;
  }

  private static boolean isBusy(Thread thread) {
    return switch (thread.getState()) {
      // A notified thread is blocked until it has the lock.
      case RUNNABLE, BLOCKED -> true;
      case WAITING, TIMED_WAITING -> Scheduled.isScheduled(thread);
      case NEW, TERMINATED -> false;
    };
  }

  private static Thread[] all() {
    ThreadGroup group = MainThread.current().getThreadGroup();
    Thread[] threads = new Thread[group.activeCount() + 16];
    group.enumerate(threads);
    return threads;
  }
}
