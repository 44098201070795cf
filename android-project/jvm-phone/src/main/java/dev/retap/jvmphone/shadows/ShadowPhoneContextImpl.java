package dev.retap.jvmphone.shadows;

import dev.retap.jvmphone.app.AppProcess;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowContextImpl;

/** A context finds the app's own classes. */
@Implements(className = "android.app.ContextImpl", isInAndroidSdk = false)
public class ShadowPhoneContextImpl extends ShadowContextImpl {
    @Override
    @Implementation
    protected ClassLoader getClassLoader() {
        ClassLoader app = AppProcess.loader();
        return app == null ? getClass().getClassLoader() : app;
    }
}
