package dev.retap.jvmphone.shadows;

import android.app.ActivityManager;
import android.app.IActivityManager;
import dev.retap.jvmphone.server.Server;
import java.util.List;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowActivityManager;

/** The activity manager's other end is this phone's server. */
@Implements(className = "android.app.ActivityManager", isInAndroidSdk = false)
public class ShadowPhoneActivityManager extends ShadowActivityManager {
    @Implementation
    protected static IActivityManager getService() {
        return Server.activityManager();
    }

    @Override
    @Implementation
    protected List<ActivityManager.RunningTaskInfo> getRunningTasks(int maxNum) {
        return Server.runningTasks();
    }
}
