package dev.retap.jvmphone.server;

import android.app.ActivityManager;
import android.app.IActivityController;
import android.app.IApplicationThread;
import android.app.ProfilerInfo;
import android.content.Intent;
import android.content.pm.IPackageDataObserver;
import android.content.res.Configuration;
import android.content.res.Resources;
import android.os.Bundle;
import android.os.IBinder;
import android.os.RemoteException;
import dev.retap.jvmphone.app.AppProcess;

/** IActivityManager: the methods that the shell and apps call. */
public final class ActivityServer {
  public int startActivityAsUser(
      IApplicationThread caller,
      String callingPackage,
      Intent intent,
      String resolvedType,
      IBinder resultTo,
      String resultWho,
      int requestCode,
      int flags,
      ProfilerInfo profilerInfo,
      Bundle options,
      int userId) {
    Integer started =
        MainThread.call(
            () -> {
              int answer = Server.stack().start(intent, resultTo, resultWho, requestCode);
              PhoneClock.run();
              PhoneClock.throwPending();
              return answer;
            });
    Events.flush();
    // An app that crashed during its start was started nevertheless.
    return started == null ? ActivityManager.START_SUCCESS : started;
  }

  public void forceStopPackage(String packageName, int userId) {
    MainThread.call(
        () -> {
          AppProcess.kill();
          PhoneClock.clearPending();
          return null;
        });
  }

  public boolean clearApplicationUserData(
      String packageName, boolean keepState, IPackageDataObserver observer, int userId)
      throws RemoteException {
    Boolean cleared =
        MainThread.call(
            () -> {
              AppProcess.kill();
              Server.revokeAll();
              return Storage.clear();
            });
    observer.onRemoveCompleted(packageName, Boolean.TRUE.equals(cleared));
    return true;
  }

  public void setActivityController(IActivityController controller, boolean monkey) {
    Server.controller().register(controller);
  }

  public Configuration getConfiguration() {
    return Resources.getSystem().getConfiguration();
  }
}
