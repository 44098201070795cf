package dev.retap.jvmphone.shadows;

import android.app.Application;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageManager.NameNotFoundException;
import dev.retap.jvmphone.server.Server;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowApplicationPackageManager;

/** Of the one app little is asked as often as who it is: Robolectric copies the whole manifest for each answer. */
@Implements(className = "android.app.ApplicationPackageManager", isInAndroidSdk = false)
public class ShadowPhonePackageManager extends ShadowApplicationPackageManager {
    @Override
    @Implementation
    protected ApplicationInfo getApplicationInfo(String packageName, int flags) throws NameNotFoundException {
        Application application = RuntimeEnvironment.getApplication();
        if (application != null && Server.packageName().equals(packageName)) {
            return new ApplicationInfo(application.getApplicationInfo());
        }
        return super.getApplicationInfo(packageName, flags);
    }

    /** Robolectric knows only texts that a test has told it; these name the app and its activities. */
    @Override
    @Implementation
    protected CharSequence getText(String packageName, int text, ApplicationInfo of) {
        Application application = RuntimeEnvironment.getApplication();
        if (application != null && Server.packageName().equals(packageName)) {
            return application.getResources().getText(text, null);
        }
        return super.getText(packageName, text, of);
    }
}
