package dev.retap.jvmphone.shadows;

import android.app.ActivityThread;
import dev.retap.jvmphone.Environment;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowActivityThread;

/** The bootstrap's way to a system context is where this phone boots. */
@Implements(className = "android.app.ActivityThread", isInAndroidSdk = false)
public class ShadowPhoneActivityThread extends ShadowActivityThread {
    @Implementation
    protected static ActivityThread systemMain() {
        Environment.boot();
        return (ActivityThread) RuntimeEnvironment.getActivityThread();
    }
}
