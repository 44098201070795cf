package dev.retap.jvmphone.server;

import android.app.ActivityManager;
import android.content.ComponentName;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.pm.PackageManager;
import android.content.pm.ResolveInfo;
import org.robolectric.RuntimeEnvironment;

/**
 * Resolution of an intent: an activity of the app, another app's, which a stand-in replaces, or
 * none.
 */
final class Resolved {
  final ActivityInfo info;
  final boolean foreign;
  final int code;

  private Resolved(ActivityInfo info, boolean foreign, int code) {
    this.info = info;
    this.foreign = foreign;
    this.code = code;
  }

  /** Resolves an intent and sets its component, as the system does. */
  static Resolved of(Intent intent) {
    PackageManager packages = RuntimeEnvironment.getApplication().getPackageManager();
    ComponentName component = intent.getComponent();
    if (component == null && intent.getSelector() == null) {
      ResolveInfo found = packages.resolveActivity(intent, PackageManager.MATCH_DEFAULT_ONLY);
      boolean isFound = found != null && found.activityInfo != null;
      if (isFound && !found.activityInfo.packageName.equals(StandIn.COMPONENT.getPackageName())) {
        component = new ComponentName(found.activityInfo.packageName, found.activityInfo.name);
        intent.setComponent(component);
      }
    }
    if (component == null) {
      return OtherApps.handle(intent)
          ? otherApp(intent)
          : unresolved(ActivityManager.START_INTENT_NOT_RESOLVED);
    }
    try {
      return new Resolved(
          packages.getActivityInfo(component, PackageManager.GET_META_DATA), false, 0);
    } catch (PackageManager.NameNotFoundException e) {
      boolean own = component.getPackageName().equals(Server.packageName());
      return own ? unresolved(ActivityManager.START_CLASS_NOT_FOUND) : otherApp(intent);
    }
  }

  private static Resolved otherApp(Intent intent) {
    intent.setComponent(StandIn.COMPONENT);
    return new Resolved(StandIn.info(), true, 0);
  }

  private static Resolved unresolved(int code) {
    return new Resolved(null, false, code);
  }
}
