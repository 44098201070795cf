package android.content.pm;

import android.content.Intent;
import dev.retap.agent.FakePhone;
import java.util.Collections;
import java.util.List;

public class PackageManager {
  public List<ResolveInfo> queryIntentActivitiesAsUser(Intent intent, int flags, int user) {
    ResolveInfo found = new ResolveInfo();
    found.activityInfo = activity();
    found.nonLocalizedLabel = "Cardboard";
    return Collections.singletonList(found);
  }

  public PackageInfo getPackageInfoAsUser(String packageName, int flags, int user) {
    PackageInfo info = new PackageInfo();
    info.versionCode = 7;
    info.activities = new ActivityInfo[] {activity(), null};
    return info;
  }

  private static ActivityInfo activity() {
    ActivityInfo activity = new ActivityInfo();
    activity.packageName = FakePhone.PACKAGE;
    activity.name = FakePhone.ACTIVITY;
    return activity;
  }
}
