package dev.retap.jvmphone.server;

import android.app.IActivityClientController;
import android.app.IApplicationThread;
import android.app.IRequestFinishCallback;
import android.app.ProfilerInfo;
import android.content.Intent;
import android.os.Bundle;
import android.os.IBinder;
import android.os.RemoteException;
import org.robolectric.util.ReflectionHelpers;

/** IActivityTaskManager and IActivityClientController: the calls of activities to the system. */
public final class TaskServer {
  private final IActivityClientController client =
      ReflectionHelpers.createDelegatingProxy(IActivityClientController.class, new Client());

  public IActivityClientController getActivityClientController() {
    return client;
  }

  public int startActivity(
      IApplicationThread caller,
      String callingPackage,
      String callingFeatureId,
      Intent intent,
      String resolvedType,
      IBinder resultTo,
      String resultWho,
      int requestCode,
      int flags,
      ProfilerInfo profilerInfo,
      Bundle options) {
    return Server.stack().start(intent, resultTo, resultWho, requestCode);
  }

  public int startActivityAsUser(
      IApplicationThread caller,
      String callingPackage,
      String callingFeatureId,
      Intent intent,
      String resolvedType,
      IBinder resultTo,
      String resultWho,
      int requestCode,
      int flags,
      ProfilerInfo profilerInfo,
      Bundle options,
      int userId) {
    return Server.stack().start(intent, resultTo, resultWho, requestCode);
  }

  public int startActivities(
      IApplicationThread caller,
      String callingPackage,
      String callingFeatureId,
      Intent[] intents,
      String[] resolvedTypes,
      IBinder resultTo,
      Bundle options,
      int userId) {
    int started = 0;
    for (Intent intent : intents) {
      started = Server.stack().start(intent, resultTo, null, -1);
    }
    return started;
  }

  /** Calls of an activity about itself, by its token. */
  public static final class Client {
    public boolean finishActivity(IBinder token, int resultCode, Intent data, int finishTask) {
      return Server.stack().finish(token, resultCode, data);
    }

    public boolean finishActivityAffinity(IBinder token) {
      return Server.stack().finishAll();
    }

    public void finishSubActivity(IBinder token, String resultWho, int requestCode) {
      Server.stack().finishStartedBy(token, requestCode);
    }

    public void onBackPressed(IBinder token, IRequestFinishCallback callback)
        throws RemoteException {
      callback.requestFinish();
    }

    public boolean moveActivityTaskToBack(IBinder token, boolean nonRoot) {
      return Server.stack().home();
    }

    public boolean navigateUpTo(
        IBinder token, Intent target, String type, int resultCode, Intent data) {
      return Server.stack().finish(token, resultCode, data);
    }

    public boolean isTopOfTask(IBinder token) {
      return Server.stack().isTop(token);
    }

    public int getTaskForActivity(IBinder token, boolean onlyRoot) {
      return !onlyRoot || Server.stack().isRoot(token) ? 1 : -1;
    }

    public void setRequestedOrientation(IBinder token, int orientation) {
      Server.stack().orient(token, orientation);
    }

    public int getRequestedOrientation(IBinder token) {
      return Server.stack().orientation(token);
    }

    public boolean willActivityBeVisible(IBinder token) {
      return true;
    }
  }
}
