package dev.retap.jvmphone.app;

import dev.retap.jvmphone.server.Picture;
import dev.retap.jvmphone.server.Server;
import dev.retap.jvmphone.server.Unsupported;
import java.util.Arrays;
import java.util.List;

/**
 * The app's process: its class loader, its threads, and how it ends. There is one app, and one
 * process at most.
 */
public final class AppProcess {
  private static volatile AppLoader loader;
  private static boolean dirty;
  private static volatile boolean doomed;

  /**
   * Whether the main thread stood still where it would stand still again if it were asked to draw.
   */
  private static volatile boolean hangsInDrawing;

  private AppProcess() {}

  /** Null while no process runs. */
  public static ClassLoader loader() {
    return loader;
  }

  public static boolean runs() {
    return loader != null;
  }

  /** A new one of the app's classes, made as the framework makes activities and services. */
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

  /** Makes the app's Application; whatever it throws is the app's crash. */
  public static void start() {
    Picture.forget();
    dirty = true;
    loader = AppLoader.fresh();
    AppThreads.begin(loader);
    AppContext.create(loader);
  }

  /** Ends it without a word, as the system does. What it has left in the framework goes too. */
  public static void kill() {
    if (!dirty) {
      return;
    }
    ClassLoader ended = loader;
    loader = null;
    dirty = false;
    doomed = false;
    AppThreads.end(ended);
    Probes.end();
    Server.forgetProcess();
  }

  /**
   * One of its other threads has failed. It goes when the main thread is next between two things.
   */
  static void doom() {
    doomed = true;
  }

  /** Ends a process that is doomed. On the main thread. */
  public static void reap() {
    if (doomed) {
      Picture.keep();
      kill();
    }
  }

  /**
   * What came out of the app's code, or of the framework's on its behalf. Returns what the caller
   * is to be told.
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
      // The app itself goes on: on a phone nothing would have gone wrong.
      error.printStackTrace();
      return new Unsupported(missing, error);
    }
    AppThreads.handler().uncaughtException(thread, error);
    Picture.keep();
    kill();
    return null;
  }

  /** Told once for each time that the main thread stands still. */
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

  /** Whether it belongs to a process that was there before. */
  public static boolean hasEnded(Thread thread) {
    return AppThreads.hasEnded(thread);
  }

  /** Its threads but the main one that have something to do. */
  public static List<Thread> busy() {
    return AppThreads.busy();
  }

  /** Whether it would go on if a processor were free. */
  public static boolean isScheduled(Thread thread) {
    return Scheduled.isScheduled(thread);
  }
}
