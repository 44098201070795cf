package dev.retap.jvmphone.server;

import android.os.SystemClock;
import android.util.Log;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import org.robolectric.shadows.ShadowLog;

/** The phone's log, as {@code logcat -v threadtime} prints it. The oldest lines are dropped. */
public final class AppLog {
  private static final int MAX_LINES = 2_000;

  /** Process of the system's own lines. */
  private static final int SYSTEM = 1;

  private static final String LEVELS = "??VDIWEF";

  private static final Deque<String> LINES = new ArrayDeque<>();

  private AppLog() {}

  /** Logs that the app's process has started, as the activity manager does. */
  public static void processStarted() {
    String name = Server.packageName();
    add(Log.INFO, SYSTEM, "am_proc_start", "[0," + Server.PID + ",10000," + name + ",activity,]");
  }

  /** Logs an uncaught exception, as the runtime does. */
  static void crashed(String stack) {
    take();
    String text = "FATAL EXCEPTION: main\nProcess: " + Server.packageName() + "\n" + stack;
    add(Log.ERROR, Server.PID, "AndroidRuntime", text);
  }

  static void notResponding() {
    take();
    add(Log.ERROR, SYSTEM, "ActivityManager", "ANR in " + Server.packageName());
  }

  /** Takes over what was logged since the last call. */
  static synchronized void take() {
    List<ShadowLog.LogItem> logged = ShadowLog.getLogs();
    ShadowLog.clear();
    for (ShadowLog.LogItem item : logged) {
      String error = item.throwable == null ? "" : "\n" + Log.getStackTraceString(item.throwable);
      add(item.type, Server.PID, String.valueOf(item.tag), item.msg + error);
    }
  }

  /**
   * Runs {@code logcat} with {@code -t COUNT} or {@code -T TIME}; other options are those of its
   * only form here.
   */
  static synchronized String print(List<String> arguments) {
    take();
    int last = arguments.indexOf("-t");
    long count = last < 0 ? MAX_LINES : Long.parseLong(arguments.get(last + 1));
    int from = arguments.indexOf("-T");
    String since = from < 0 ? "" : arguments.get(from + 1);
    StringBuilder text = new StringBuilder();
    LINES.stream()
        .skip(Math.max(0, LINES.size() - count))
        .filter(line -> line.compareTo(since) >= 0)
        .forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }

  private static synchronized void add(int level, int process, String tag, String text) {
    String start =
        String.format(
            Locale.ROOT, "%s %5d %5d %c %s: ", time(), process, process, LEVELS.charAt(level), tag);
    for (String line : text.split("\\R")) {
      if (LINES.size() == MAX_LINES) {
        LINES.removeFirst();
      }
      LINES.addLast(start + line);
    }
  }

  /** Time on the phone's clock, as if it had been started on the first of January. */
  private static String time() {
    long millis = SystemClock.uptimeMillis();
    return String.format(
        Locale.ROOT,
        "01-%02d %02d:%02d:%02d.%03d",
        1 + millis / 86_400_000 % 31,
        millis / 3_600_000 % 24,
        millis / 60_000 % 60,
        millis / 1_000 % 60,
        millis % 1_000);
  }
}
