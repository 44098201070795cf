package dev.retap.jvmphone.app;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

/** Stack traces as a phone prints them: without frames of the instrumentation. */
public final class Stacks {
  private static final String INSTRUMENTED = "$$robo$$";

  private Stacks() {}

  public static String text(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      cause.setStackTrace(cleaned(cause.getStackTrace()));
    }
    StringWriter text = new StringWriter();
    error.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  static StackTraceElement[] cleaned(StackTraceElement[] stack) {
    List<StackTraceElement> kept = new ArrayList<>();
    for (StackTraceElement frame : stack) {
      if (isOurs(frame)) {
        continue;
      }
      StackTraceElement plain = plain(frame);
      StackTraceElement before = kept.isEmpty() ? null : kept.get(kept.size() - 1);
      // The wrapper of an instrumented method has the same name and no line.
      boolean leads = before != null && frame.getLineNumber() < 0 && sameMethod(before, plain);
      if (!leads) {
        kept.add(plain);
      }
      // Frames below the looper are not the phone's.
      if (plain.getClassName().equals("android.os.Looper")
          && plain.getMethodName().equals("loop")) {
        break;
      }
    }
    return kept.toArray(new StackTraceElement[0]);
  }

  private static StackTraceElement plain(StackTraceElement frame) {
    String name = frame.getMethodName();
    if (name.startsWith(INSTRUMENTED)) {
      name = name.substring(name.lastIndexOf('$') + 1);
    }
    return new StackTraceElement(
        frame.getClassName(), name, frame.getFileName(), frame.getLineNumber());
  }

  private static boolean sameMethod(StackTraceElement one, StackTraceElement other) {
    return one.getClassName().equals(other.getClassName())
        && one.getMethodName().equals(other.getMethodName());
  }

  private static boolean isOurs(StackTraceElement frame) {
    String name = frame.getClassName();
    return name.startsWith("org.robolectric.")
        || name.startsWith("dev.retap.jvmphone.")
        || name.startsWith("java.lang.invoke.")
        || name.startsWith("org.junit.")
        || name.startsWith("jdk.internal.reflect.")
        || name.startsWith("dev.retap.agent.");
  }
}
