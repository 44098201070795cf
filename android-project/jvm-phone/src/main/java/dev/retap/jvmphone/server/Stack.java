package dev.retap.jvmphone.server;

import android.app.Activity;
import android.app.ActivityManager;
import android.content.ComponentName;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import dev.retap.jvmphone.app.AppProcess;
import dev.retap.jvmphone.app.Missing;
import java.util.ArrayList;
import java.util.List;

/**
 * The task: activities from bottom to top, and who is started, brought back, finished and told of
 * results.
 */
public final class Stack {
  private final List<Record> records = new ArrayList<>();
  private boolean away;

  /** What the system answers at once; the start itself comes with the next message. */
  int start(Intent wanted, IBinder resultTo, String resultWho, int requestCode) {
    Intent intent = new Intent(wanted);
    Resolved resolved = Resolved.of(intent);
    if (resolved.info == null) {
      return resolved.why;
    }
    if (requestCode >= 0 && resolved.foreign) {
      intent.putExtra(StandIn.FOR_RESULT, true);
    }
    Record record = new Record(resolved.info, intent, resultTo, resultWho, requestCode);
    soon(() -> launch(record));
    return ActivityManager.START_SUCCESS;
  }

  private static void soon(Runnable work) {
    new Handler(Looper.getMainLooper()).post(work);
  }

  private void launch(Record record) {
    if (!AppProcess.runs()) {
      AppProcess.start();
    }
    Record top = topRecord();
    if (top != null && !away && LaunchModes.reuse(this, record)) {
      return;
    }
    boolean fromLauncher =
        record.intent.hasCategory(Intent.CATEGORY_LAUNCHER) && record.resultTo == null;
    if (fromLauncher && !records.isEmpty()) {
      away = false;
      resumeTop();
      return;
    }
    if (top != null) {
      if (record.resultTo != null) {
        top.leave();
      }
      top.pause();
    }
    records.add(record);
    away = false;
    try {
      open(record);
    } catch (Throwable e) {
      if (Missing.in(e) != null) {
        withdraw(record);
      }
      throw e;
    }
  }

  private void open(Record record) {
    record.create(instantiate(record.info), null, null);
    if (!record.activity().isFinishing()) {
      record.resume();
      stopCovered();
    }
    settleFinished();
  }

  /** What this phone cannot show was never started. */
  private void withdraw(Record record) {
    records.remove(record);
    Windows.close(record.token());
    resumeTop();
  }

  private static Activity instantiate(ActivityInfo info) {
    String name = info.targetActivity == null ? info.name : info.targetActivity;
    return AppProcess.instantiate(Activity.class, name);
  }

  /** Everything below an activity that hides it is stopped. */
  private void stopCovered() {
    boolean covered = false;
    for (Record record : new ArrayList<>(reversed())) {
      if (covered) {
        record.stop();
        record.finishing |= record.isForgotten();
      }
      covered |= record.isVisible() && !record.isSeeThrough();
    }
  }

  boolean finish(IBinder token, int resultCode, Intent data) {
    Record record = of(token);
    if (record == null) {
      return false;
    }
    record.finishing = true;
    record.resultCode = resultCode;
    record.resultData = data;
    soon(this::settleFinished);
    return true;
  }

  boolean finishAll() {
    records.forEach(record -> record.finishing = true);
    soon(this::settleFinished);
    return true;
  }

  void finishStartedBy(IBinder token, int requestCode) {
    for (Record record : records) {
      if (record.resultTo == token && record.requestCode == requestCode) {
        record.finishing = true;
      }
    }
    soon(this::settleFinished);
  }

  /** Takes finished activities out, topmost first, and brings up what they leave uncovered. */
  void settleFinished() {
    List<Record> finished = reversed().stream().filter(record -> record.finishing).toList();
    for (Record record : finished) {
      record.pause();
      records.remove(record);
      Record receiver = of(record.resultTo);
      if (receiver != null && record.requestCode >= 0) {
        receiver.results.add(
            new Record.Result(
                record.resultWho, record.requestCode, record.resultCode, record.resultData));
      }
    }
    if (!finished.isEmpty() && !away) {
      resumeTop();
    }
    finished.forEach(Record::destroy);
  }

  void resumeTop() {
    Record top = topRecord();
    if (top == null) {
      return;
    }
    if (top.isOutdated()) {
      top.relaunch();
    } else {
      top.reconfigure();
    }
    top.resume();
    stopCovered();
    if (top.isSeeThrough() && records.size() > 1) {
      wakeBelow();
    }
  }

  private void wakeBelow() {
    Record below = records.get(records.size() - 2);
    if (below.state == Record.State.STOPPED) {
      below.resume();
      below.pause();
    }
  }

  /** The app goes to the background, where it stays until it is launched again. */
  boolean home() {
    soon(
        () -> {
          away = true;
          Record top = topRecord();
          if (top != null) {
            top.leave();
          }
          reversed().forEach(Record::stop);
          records.forEach(record -> record.finishing |= record.isForgotten());
          settleFinished();
        });
    return true;
  }

  /** After the display or the language has changed. */
  void reconfigure() {
    Components.reconfigured();
    for (Record record : reversed()) {
      if (!record.isVisible()) {
        continue;
      }
      if (record.isOutdated()) {
        record.relaunch();
      } else {
        record.reconfigure();
      }
    }
    settleFinished();
  }

  public void relaunchSoon(Activity activity) {
    soon(
        () -> {
          Record record = of(activity.getActivityToken());
          if (record != null && !record.finishing) {
            record.relaunch();
          }
        });
  }

  /** The process is gone: nobody is told. */
  void clear() {
    records.clear();
    away = false;
  }

  ComponentName top() {
    Record top = topRecord();
    return top == null || away ? StandIn.HOME : top.component();
  }

  Record topRecord() {
    return records.isEmpty() ? null : records.get(records.size() - 1);
  }

  List<Record> records() {
    return records;
  }

  boolean isTop(IBinder token) {
    return topRecord() != null && topRecord().token() == token;
  }

  boolean isRoot(IBinder token) {
    return !records.isEmpty() && records.get(0).token() == token;
  }

  void orient(IBinder token, int orientation) {
    Record record = of(token);
    if (record != null) {
      record.orientation = orientation;
      soon(Display::follow);
    }
  }

  int orientation(IBinder token) {
    Record record = of(token);
    return record == null ? ActivityInfo.SCREEN_ORIENTATION_UNSPECIFIED : record.orientation;
  }

  Record of(IBinder token) {
    if (token == null) {
      return null;
    }
    return records.stream().filter(record -> record.token() == token).findFirst().orElse(null);
  }

  private List<Record> reversed() {
    List<Record> reversed = new ArrayList<>(records);
    java.util.Collections.reverse(reversed);
    return reversed;
  }
}
