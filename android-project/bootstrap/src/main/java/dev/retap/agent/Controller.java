package dev.retap.agent;

import android.app.IActivityController;
import android.content.Intent;
import android.os.Parcel;
import android.os.RemoteException;
import android.os.SystemClock;

/**
 * Receives crashes and ANRs before the system shows a dialog. The system server waits for each
 * return value.
 */
final class Controller extends IActivityController.Stub {
  private static final int KILL = -1;
  private static final int CONTINUE = 0;

  @Override
  public boolean activityStarting(Intent intent, String packageName) {
    return true;
  }

  @Override
  public boolean activityResuming(String packageName) {
    return true;
  }

  /** Returns false: the system kills the app without showing a dialog. */
  @Override
  public boolean appCrashed(
      String process, int pid, String shortMessage, String longMessage, long time, String stack) {
    Native.crashed(SystemClock.uptimeMillis(), process, shortMessage, longMessage, stack);
    return false;
  }

  @Override
  public int appEarlyNotResponding(String process, int pid, String annotation) {
    return CONTINUE;
  }

  @Override
  public int appNotResponding(String process, int pid, String statistics) {
    Native.notResponding(SystemClock.uptimeMillis(), process, statistics);
    return KILL;
  }

  /** Returns KILL: the watchdog does its default action. */
  @Override
  public int systemNotResponding(String message) {
    return KILL;
  }

  /** Returns true for calls that this class does not implement: a newer system may make them. */
  @Override
  public boolean onTransact(int code, Parcel data, Parcel reply, int flags) throws RemoteException {
    try {
      return super.onTransact(code, data, reply, flags);
    } catch (AbstractMethodError unknown) {
      return true;
    }
  }
}
