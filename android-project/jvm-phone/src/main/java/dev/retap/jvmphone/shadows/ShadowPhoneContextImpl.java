package dev.retap.jvmphone.shadows;

import android.content.ComponentName;
import android.content.Intent;
import android.content.ServiceConnection;
import android.os.UserHandle;
import dev.retap.jvmphone.app.AppProcess;
import dev.retap.jvmphone.server.Services;
import java.util.concurrent.Executor;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowContextImpl;

/** A context finds the app's own classes, and its services. */
@Implements(className = "android.app.ContextImpl", isInAndroidSdk = false)
public class ShadowPhoneContextImpl extends ShadowContextImpl {
    @Override
    @Implementation
    protected ClassLoader getClassLoader() {
        ClassLoader app = AppProcess.loader();
        return app == null ? getClass().getClassLoader() : app;
    }

    @Override
    @Implementation
    protected ComponentName startService(Intent service) {
        validateServiceIntent(service);
        return Services.start(service);
    }

    @Override
    @Implementation
    protected ComponentName startForegroundService(Intent service) {
        return startService(service);
    }

    @Override
    @Implementation
    protected boolean stopService(Intent service) {
        validateServiceIntent(service);
        return Services.stop(service);
    }

    @Override
    @Implementation
    protected boolean bindService(Intent service, int flags, Executor executor, ServiceConnection connection) {
        return bindService(service, connection, flags);
    }

    @Override
    @Implementation
    protected boolean bindService(Intent service, ServiceConnection connection, int flags) {
        validateServiceIntent(service);
        return Services.bind(service, connection, flags);
    }

    @Override
    @Implementation
    protected boolean bindServiceAsUser(Intent service, ServiceConnection connection, int flags, UserHandle user) {
        return bindService(service, connection, flags);
    }

    @Override
    @Implementation
    protected void unbindService(ServiceConnection connection) {
        Services.unbind(connection);
    }
}
