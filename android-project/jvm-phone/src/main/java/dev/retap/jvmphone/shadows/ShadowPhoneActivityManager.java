package dev.retap.jvmphone.shadows;

import android.app.ActivityManager;
import android.app.IActivityManager;
import android.os.Debug;
import dev.retap.jvmphone.server.Server;
import java.util.List;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowActivityManager;

/** Connects ActivityManager to this phone's server. */
@Implements(className = "android.app.ActivityManager", isInAndroidSdk = false)
public class ShadowPhoneActivityManager extends ShadowActivityManager {
  @Implementation
  protected static IActivityManager getService() {
    return Server.activityManager();
  }

  @Implementation
  protected Debug.MemoryInfo[] getProcessMemoryInfo(int[] pids) {
    Debug.MemoryInfo[] infos = new Debug.MemoryInfo[pids.length];
    for (int number = 0; number < pids.length; number++) {
      infos[number] = new Debug.MemoryInfo();
    }
    return infos;
  }

  @Override
  @Implementation
  protected List<ActivityManager.RunningTaskInfo> getRunningTasks(int maxNum) {
    return Server.runningTasks();
  }

  /** Megabytes, as on most phones with a display of this size. */
  @Override
  @Implementation
  protected int getMemoryClass() {
    return 256;
  }

  @Implementation
  protected int getLargeMemoryClass() {
    return 512;
  }
}
