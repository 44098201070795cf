package dev.retap.jvmphone.server;

import android.app.ActivityManager;
import android.content.ComponentName;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.pm.PackageManager;
import android.content.pm.ResolveInfo;
import org.robolectric.RuntimeEnvironment;

/**
 * Who an intent reaches: an activity of the app, another app's, which a stand-in plays, or nobody.
 */
final class Resolved {
  final ActivityInfo info;
  final boolean foreign;
  final int why;

  private Resolved(ActivityInfo info, boolean foreign, int why) {
    this.info = info;
    this.foreign = foreign;
    this.why = why;
  }

  /** Sets the intent's component, as the system does. */
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
          ? stranger(intent)
          : nobody(ActivityManager.START_INTENT_NOT_RESOLVED);
    }
    try {
      return new Resolved(
          packages.getActivityInfo(component, PackageManager.GET_META_DATA), false, 0);
    } catch (PackageManager.NameNotFoundException e) {
      boolean own = component.getPackageName().equals(Server.packageName());
      return own ? nobody(ActivityManager.START_CLASS_NOT_FOUND) : stranger(intent);
    }
  }

  private static Resolved stranger(Intent intent) {
    intent.setComponent(StandIn.COMPONENT);
    return new Resolved(StandIn.info(), true, 0);
  }

  private static Resolved nobody(int why) {
    return new Resolved(null, false, why);
  }
}
