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

/** Task: activities from bottom to top. Starts, resumes and finishes them, and delivers results. */
public final class Stack {
  private final List<Record> records = new ArrayList<>();
  private boolean inBackground;

  /** Resolves and posts a start. Returns the system's result code at once. */
  int start(Intent wanted, IBinder resultTo, String resultWho, int requestCode) {
    Intent intent = new Intent(wanted);
    Resolved resolved = Resolved.of(intent);
    if (resolved.info == null) {
      return resolved.code;
    }
    if (requestCode >= 0 && resolved.foreign) {
      intent.putExtra(StandIn.FOR_RESULT, true);
    }
    Record record = new Record(resolved.info, intent, resultTo, resultWho, requestCode);
    post(() -> launch(record));
    return ActivityManager.START_SUCCESS;
  }

  private static void post(Runnable work) {
    new Handler(Looper.getMainLooper()).post(work);
  }

  private void launch(Record record) {
    if (!AppProcess.runs()) {
      AppProcess.start();
    }
    Record top = topRecord();
    if (top != null && !inBackground && LaunchModes.reuse(this, record)) {
      return;
    }
    boolean fromLauncher =
        record.intent.hasCategory(Intent.CATEGORY_LAUNCHER) && record.resultTo == null;
    if (fromLauncher && !records.isEmpty()) {
      inBackground = false;
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
    inBackground = false;
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
    removeFinished();
  }

  /** Removes an activity that this phone cannot show. */
  private void withdraw(Record record) {
    records.remove(record);
    Windows.close(record.token());
    resumeTop();
  }

  private static Activity instantiate(ActivityInfo info) {
    String name = info.targetActivity == null ? info.name : info.targetActivity;
    return AppProcess.instantiate(Activity.class, name);
  }

  /** Stops all activities below one that covers them. */
  private void stopCovered() {
    boolean covered = false;
    for (Record record : new ArrayList<>(reversed())) {
      if (covered) {
        record.stop();
        record.finishing |= record.isNoHistory();
      }
      covered |= record.isVisible() && !record.isTranslucent();
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
    post(this::removeFinished);
    return true;
  }

  boolean finishAll() {
    records.forEach(record -> record.finishing = true);
    post(this::removeFinished);
    return true;
  }

  void finishStartedBy(IBinder token, int requestCode) {
    for (Record record : records) {
      if (record.resultTo == token && record.requestCode == requestCode) {
        record.finishing = true;
      }
    }
    post(this::removeFinished);
  }

  /** Removes finished activities, topmost first, and resumes the one below. */
  void removeFinished() {
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
    if (!finished.isEmpty() && !inBackground) {
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
    if (top.isTranslucent() && records.size() > 1) {
      resumeBelow();
    }
  }

  private void resumeBelow() {
    Record below = records.get(records.size() - 2);
    if (below.state == Record.State.STOPPED) {
      below.resume();
      below.pause();
    }
  }

  /** Moves the app to the background, until it is launched again. */
  boolean home() {
    post(
        () -> {
          inBackground = true;
          Record top = topRecord();
          if (top != null) {
            top.leave();
          }
          reversed().forEach(Record::stop);
          records.forEach(record -> record.finishing |= record.isNoHistory());
          removeFinished();
        });
    return true;
  }

  /** Applies a changed display or language. */
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
    removeFinished();
  }

  public void relaunchSoon(Activity activity) {
    post(
        () -> {
          Record record = of(activity.getActivityToken());
          if (record != null && !record.finishing) {
            record.relaunch();
          }
        });
  }

  /** Drops all activities of an ended process, without callbacks. */
  void clear() {
    records.clear();
    inBackground = false;
  }

  ComponentName top() {
    Record top = topRecord();
    return top == null || inBackground ? StandIn.HOME : top.component();
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
      post(Display::update);
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
