package dev.retap.jvmphone.shadows;

import android.app.ActivityThread;
import dev.retap.jvmphone.Environment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowActivityThread;
import org.robolectric.util.ReflectionHelpers;

/** The bootstrap's way to a system context is where this phone boots. */
@Implements(className = "android.app.ActivityThread", isInAndroidSdk = false)
public class ShadowPhoneActivityThread extends ShadowActivityThread {
  @Implementation
  protected static ActivityThread systemMain() {
    Environment.boot();
    // One of its own: the agent keeps it, and the one that was set up is the first app's, with all
    // that is in it.
    return ReflectionHelpers.callConstructor(ActivityThread.class);
  }
}
