package dev.retap.jvmphone.server;

import android.content.Intent;
import android.content.pm.ActivityInfo;
import java.util.List;

/** Decides whether a start reuses an existing activity: launch modes and intent flags. */
final class LaunchModes {
  private LaunchModes() {}

  /** Returns true if an existing activity has received the intent. */
  static boolean reuse(Stack stack, Record wanted) {
    List<Record> records = stack.records();
    int flags = wanted.intent.getFlags();
    if (has(flags, Intent.FLAG_ACTIVITY_CLEAR_TASK)) {
      records.forEach(record -> record.finishing = true);
      return false;
    }
    int place = last(records, wanted);
    if (place < 0) {
      return false;
    }
    Record found = records.get(place);
    boolean isTop = place == records.size() - 1;
    if (isTop
        && (has(flags, Intent.FLAG_ACTIVITY_SINGLE_TOP)
            || mode(wanted) != ActivityInfo.LAUNCH_MULTIPLE)) {
      give(stack, found, wanted.intent);
      return true;
    }
    boolean single =
        mode(wanted) == ActivityInfo.LAUNCH_SINGLE_TASK
            || mode(wanted) == ActivityInfo.LAUNCH_SINGLE_INSTANCE;
    if (single || has(flags, Intent.FLAG_ACTIVITY_CLEAR_TOP)) {
      records.subList(place + 1, records.size()).forEach(record -> record.finishing = true);
      boolean again =
          !single
              && mode(wanted) == ActivityInfo.LAUNCH_MULTIPLE
              && !has(flags, Intent.FLAG_ACTIVITY_SINGLE_TOP);
      found.finishing = again;
      if (again) {
        return false;
      }
      stack.removeFinished();
      give(stack, found, wanted.intent);
      return true;
    }
    if (has(flags, Intent.FLAG_ACTIVITY_REORDER_TO_FRONT)) {
      Record top = stack.topRecord();
      top.pause();
      records.remove(found);
      records.add(found);
      give(stack, found, wanted.intent);
      return true;
    }
    return false;
  }

  private static void give(Stack stack, Record record, Intent intent) {
    record.pause();
    record.newIntent(intent);
    stack.resumeTop();
  }

  private static int last(List<Record> records, Record wanted) {
    for (int place = records.size() - 1; place >= 0; place--) {
      Record record = records.get(place);
      if (!record.finishing && record.info.name.equals(wanted.info.name)) {
        return place;
      }
    }
    return -1;
  }

  private static int mode(Record record) {
    return record.info.launchMode;
  }

  private static boolean has(int flags, int flag) {
    return (flags & flag) != 0;
  }
}
