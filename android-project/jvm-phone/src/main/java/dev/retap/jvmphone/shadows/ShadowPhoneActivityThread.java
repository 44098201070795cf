package dev.retap.jvmphone.shadows;

import android.app.ActivityThread;
import dev.retap.jvmphone.Environment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowActivityThread;
import org.robolectric.util.ReflectionHelpers;

/** Boots the phone when the bootstrap requests a system context. */
@Implements(className = "android.app.ActivityThread", isInAndroidSdk = false)
public class ShadowPhoneActivityThread extends ShadowActivityThread {
  @Implementation
  protected static ActivityThread systemMain() {
    Environment.boot();
    // A separate instance: the agent keeps it, and the one that was set up belongs to the first
    // app's process.
    return ReflectionHelpers.callConstructor(ActivityThread.class);
  }
}
