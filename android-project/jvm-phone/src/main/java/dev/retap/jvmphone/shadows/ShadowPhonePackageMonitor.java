package dev.retap.jvmphone.shadows;

import android.content.Context;
import android.os.Handler;
import android.os.UserHandle;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/**
 * Ignores package changes, of which this phone has none. Share sheets and choosers register one of
 * these.
 */
@Implements(className = "com.android.internal.content.PackageMonitor", isInAndroidSdk = false)
public class ShadowPhonePackageMonitor {
  @Implementation
  protected void register(Context context, UserHandle user, Handler handler) {}

  @Implementation
  protected void unregister() {}
}
