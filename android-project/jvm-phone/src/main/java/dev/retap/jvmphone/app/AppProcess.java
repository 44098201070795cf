package dev.retap.jvmphone.app;

import dev.retap.jvmphone.server.AppLog;
import dev.retap.jvmphone.server.Picture;
import dev.retap.jvmphone.server.Server;
import dev.retap.jvmphone.server.Unsupported;
import java.util.Arrays;
import java.util.List;

/**
 * Process of the app: its class loader, its threads and its end. There is one app and at most one
 * process.
 */
public final class AppProcess {
  private static volatile AppLoader loader;
  private static boolean dirty;
  private static volatile boolean killPending;

  /** Whether the main thread was blocked in drawing: drawing again would block again. */
  private static volatile boolean hangsInDrawing;

  private AppProcess() {}

  /** Class loader of the running process; null if none runs. */
  public static ClassLoader loader() {
    return loader;
  }

  public static boolean runs() {
    return loader != null;
  }

  /** Instantiates a class of the app, as the framework does with activities and services. */
  public static <T> T instantiate(Class<T> kind, String name) {
    String what =
        "Unable to instantiate "
            + kind.getSimpleName().toLowerCase(java.util.Locale.ROOT)
            + " "
            + name;
    try {
      return kind.cast(loader.loadClass(name).getDeclaredConstructor().newInstance());
    } catch (java.lang.reflect.InvocationTargetException e) {
      throw new RuntimeException(what, e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new RuntimeException(what, e);
    }
  }

  /** Creates the app's Application. Any exception of it is a crash of the app. */
  public static void start() {
    Picture.forget();
    dirty = true;
    loader = AppLoader.create();
    AppLog.processStarted();
    AppThreads.begin(loader);
    AppContext.create(loader);
  }

  /**
   * Kills the process, as the system does, and resets the state that it has left in the framework.
   */
  public static void kill() {
    if (!dirty) {
      return;
    }
    ClassLoader ended = loader;
    loader = null;
    dirty = false;
    killPending = false;
    AppThreads.end(ended);
    Probes.end();
    Server.forgetProcess();
  }

  /**
   * Marks the process as failed on another thread. It is killed when the main thread has finished
   * its current message.
   */
  static void killLater() {
    killPending = true;
  }

  /** Kills a process that is marked as failed. On the main thread. */
  public static void killIfPending() {
    if (killPending) {
      Picture.keep();
      kill();
    }
  }

  /**
   * Handles an exception of the app, or of the framework on its behalf. Returns the exception for
   * the caller, or null.
   */
  public static RuntimeException failed(Thread thread, Throwable error) {
    if (error instanceof ThreadDeath || error instanceof Exited) {
      if (error instanceof ThreadDeath && !hangsInDrawing) {
        Picture.keep();
      }
      kill();
      return null;
    }
    String missing = Missing.in(error);
    if (missing != null) {
      // The app keeps running: on a phone nothing would have failed.
      error.printStackTrace();
      return new Unsupported(missing, error);
    }
    AppThreads.handler().uncaughtException(thread, error);
    Picture.keep();
    kill();
    return null;
  }

  /** Reports an ANR, once each time that the main thread is blocked. */
  public static void notResponding(StackTraceElement[] stack) {
    hangsInDrawing =
        Arrays.stream(stack).anyMatch(frame -> frame.getMethodName().contains("performDraw"));
    StringBuilder text = new StringBuilder("\"main\" prio=5 tid=1\n");
    for (StackTraceElement frame : Stacks.cleaned(stack)) {
      text.append("  at ").append(frame).append('\n');
    }
    Server.controller().notResponding(text.toString());
  }

  public static boolean owns(Thread thread) {
    return AppThreads.owns(thread);
  }

  /** Whether a thread belongs to an earlier process. */
  public static boolean hasEnded(Thread thread) {
    return AppThreads.hasEnded(thread);
  }

  /** Threads of the app, without the main thread, that have work to do. */
  public static List<Thread> busy() {
    return AppThreads.busy();
  }

  /** Whether the kernel would run the thread if a processor were free. */
  public static boolean isScheduled(Thread thread) {
    return Scheduled.isScheduled(thread);
  }
}
