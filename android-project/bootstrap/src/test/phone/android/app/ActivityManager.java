package android.app;

import android.content.ComponentName;
import dev.retap.agent.FakePhone;
import java.util.Collections;
import java.util.List;

public final class ActivityManager {
  public static final class RunningTaskInfo {
    public ComponentName topActivity = new ComponentName(FakePhone.PACKAGE, FakePhone.ACTIVITY);
  }

  public static IActivityManager getService() {
    return new IActivityManager() {};
  }

  public List<RunningTaskInfo> getRunningTasks(int most) {
    return Collections.singletonList(new RunningTaskInfo());
  }
}
