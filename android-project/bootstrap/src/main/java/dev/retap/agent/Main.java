package dev.retap.agent;

import android.app.ActivityThread;
import android.content.Context;
import android.os.Looper;

/**
 * Entry point for app_process: loads the Rust library and passes it the objects that JNI cannot
 * create.
 */
public final class Main {
  /** Version of this jar. The library must have the same one; the host pushes both. */
  static final String VERSION = "0.1.0";

  private Main() {}

  /**
   * Starts the agent. The first argument is the library's absolute path, the rest is for the agent.
   */
  public static void main(String[] args) {
    if (args.length == 0) {
      fail(
          "usage: app_process / dev.retap.agent.Main LIBRARY --name NAME | --udp ADDRESS"
              + " [--user N] [--uid N] [--folder DIR]",
          null);
    }
    String[] rest = new String[args.length - 1];
    System.arraycopy(args, 1, rest, 0, rest.length);
    try {
      load(args[0], VERSION);
      Native.leaveRoot(rest);
    } catch (LinkageError | RuntimeException e) {
      fail("could not begin with " + args[0], e);
    }
    // UiAutomation needs a running main looper, so the agent works on another thread.
    Looper.prepareMainLooper();
    Context context = shellContext();
    Thread work = new Thread(() -> work(rest, context), "retap");
    work.start();
    Looper.loop();
  }

  static void load(String library, String expected) {
    System.load(library);
    String version = Native.version();
    if (!expected.equals(version)) {
      throw new IllegalStateException(
          "the library is version "
              + version
              + ", agent.jar is "
              + expected
              + ": push both of one build");
    }
  }

  private static void work(String[] args, Context context) {
    try {
      Native.run(args, context, new Controller(), new Events(), new Cleared());
    } catch (Throwable e) {
      fail("the agent ended", e);
    }
    // Threads of the framework would keep the process alive.
    System.exit(0);
  }

  /**
   * Context with the shell's identity. Null if the framework provides none: the agent then lacks
   * the capabilities that need one.
   */
  private static Context shellContext() {
    try {
      return new ShellContext(ActivityThread.systemMain().getSystemContext());
    } catch (Throwable e) {
      System.err.println("warning: no context: " + e);
      e.printStackTrace();
      return null;
    }
  }

  private static void fail(String what, Throwable why) {
    if (why != null) {
      why.printStackTrace();
    }
    // The host shows the end of the output: the error comes last.
    System.err.println("error: " + what + (why == null ? "" : ": " + why));
    System.exit(1);
  }
}
