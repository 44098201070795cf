package dev.retap.agent;

import android.app.IActivityController;
import android.content.Intent;
import android.os.Parcel;
import android.os.RemoteException;
import android.os.SystemClock;

/**
 * Hears of crashes and ANRs before the system shows a dialog. The system server waits for each
 * answer.
 */
final class Controller extends IActivityController.Stub {
  private static final int KILL = -1;
  private static final int GO_ON = 0;

  @Override
  public boolean activityStarting(Intent intent, String packageName) {
    return true;
  }

  @Override
  public boolean activityResuming(String packageName) {
    return true;
  }

  /** False: the app is killed without a dialog, which nobody would be there to close. */
  @Override
  public boolean appCrashed(
      String process, int pid, String shortMessage, String longMessage, long time, String stack) {
    Native.crashed(SystemClock.uptimeMillis(), process, shortMessage, longMessage, stack);
    return false;
  }

  @Override
  public int appEarlyNotResponding(String process, int pid, String annotation) {
    return GO_ON;
  }

  @Override
  public int appNotResponding(String process, int pid, String statistics) {
    Native.notResponding(SystemClock.uptimeMillis(), process, statistics);
    return KILL;
  }

  /** The watchdog does what it would have done. */
  @Override
  public int systemNotResponding(String message) {
    return KILL;
  }

  /**
   * A newer system may call what this class does not have: it is answered with nothing instead of
   * an error.
   */
  @Override
  public boolean onTransact(int code, Parcel data, Parcel reply, int flags) throws RemoteException {
    try {
      return super.onTransact(code, data, reply, flags);
    } catch (AbstractMethodError unknown) {
      return true;
    }
  }
}
