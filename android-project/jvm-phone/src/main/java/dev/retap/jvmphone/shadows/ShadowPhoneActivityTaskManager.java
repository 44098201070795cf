package dev.retap.jvmphone.shadows;

import android.app.IActivityTaskManager;
import dev.retap.jvmphone.server.Server;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/** Connects ActivityTaskManager to this phone's server. */
@Implements(className = "android.app.ActivityTaskManager", isInAndroidSdk = false)
public class ShadowPhoneActivityTaskManager {
  @Implementation
  protected static IActivityTaskManager getService() {
    return Server.taskManager();
  }
}
