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
 * The threads that the app has started: known by their group, which they inherit from the main
 * thread.
 */
final class AppThreads {
  /** The framework's own, made when an app first needs them; on a phone each process has others. */
  private static final List<String> FRAMEWORKS =
      List.of("AsyncTask #", "queued-work-looper", "magnifier pixel copy result handler");

  /** What threads of an ended process have: they would otherwise hold all of it. */
  private static final ClassLoader ENDED = new ClassLoader(AppThreads.class.getClassLoader()) {};

  private AppThreads() {}

  /**
   * As the runtime does before the app's first line: what nobody catches is the system's business.
   */
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
            AppProcess.doom();
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
   * A JVM cannot end them as a phone does: they are woken, and end at the latest when they next
   * sleep. One that stands in a wait of the app's is stopped there, as it may go on waiting however
   * often it is woken. One that waits for messages is told to wait no longer: woken, it would look
   * for messages without end. The framework's own goes on waiting.
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
   * Only Object.wait can be left at any moment: whoever is stopped in one of the concurrent queues
   * still stands in it, and the next that comes for something there is never told. Only for the
   * app's code: a pool of the framework's serves others.
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

  /** Those that have something to do: that run, wait for a lock, or were woken. */
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
      // Whoever was told to go on with a lock is blocked until it has it.
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
