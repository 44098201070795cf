package android.app;

import android.content.ComponentName;
import dev.retap.agent.Cardboard;
import java.util.Collections;
import java.util.List;

public final class ActivityManager {
  public static final class RunningTaskInfo {
    public ComponentName topActivity = new ComponentName(Cardboard.PACKAGE, Cardboard.ACTIVITY);
  }

  public static IActivityManager getService() {
    return new IActivityManager() {};
  }

  public List<RunningTaskInfo> getRunningTasks(int most) {
    return Collections.singletonList(new RunningTaskInfo());
  }
}
