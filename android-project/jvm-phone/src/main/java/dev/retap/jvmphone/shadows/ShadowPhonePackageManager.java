package dev.retap.jvmphone.shadows;

import android.app.Application;
import android.content.Intent;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.pm.PackageManager.NameNotFoundException;
import android.content.pm.ResolveInfo;
import android.content.pm.Signature;
import android.graphics.drawable.Drawable;
import dev.retap.jvmphone.server.Server;
import java.util.List;
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
            ApplicationInfo own = new ApplicationInfo(application.getApplicationInfo());
            if ((flags & PackageManager.GET_META_DATA) != 0) {
                own.metaData = super.getApplicationInfo(packageName, flags).metaData;
            }
            return own;
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

    @Override
    @Implementation
    protected Drawable getApplicationIcon(String packageName) throws NameNotFoundException {
        return icon(getApplicationInfo(packageName, 0));
    }

    @Override
    @Implementation
    protected Drawable getApplicationIcon(ApplicationInfo info) {
        return icon(info);
    }

    private static Drawable icon(ApplicationInfo info) {
        Application application = RuntimeEnvironment.getApplication();
        boolean own = info.icon != 0 && Server.packageName().equals(info.packageName);
        return application.getDrawable(own ? info.icon : android.R.drawable.sym_def_app_icon);
    }

    /** Every installed app is signed. */
    @Override
    @Implementation
    protected PackageInfo getPackageInfo(String packageName, int flags) throws NameNotFoundException {
        PackageInfo info = super.getPackageInfo(packageName, flags);
        if ((flags & PackageManager.GET_SIGNATURES) != 0 && info.signatures == null) {
            info.signatures = new Signature[] {new Signature("30820122")};
        }
        return info;
    }

    /** Who is asked for here is who would be started. */
    @Override
    @Implementation
    protected List<ResolveInfo> queryIntentActivities(Intent intent, int flags) {
        List<ResolveInfo> found = super.queryIntentActivities(intent, flags);
        ResolveInfo other = found.isEmpty() ? Server.otherApp(intent) : null;
        return other == null ? found : List.of(other);
    }

    @Override
    @Implementation
    protected ResolveInfo resolveActivity(Intent intent, int flags) {
        ResolveInfo found = super.resolveActivity(intent, flags);
        return found == null ? Server.otherApp(intent) : found;
    }
}
