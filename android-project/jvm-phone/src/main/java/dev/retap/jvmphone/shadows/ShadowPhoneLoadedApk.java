package dev.retap.jvmphone.shadows;

import dev.retap.jvmphone.app.AppProcess;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowLoadedApk;

/** Uses the app's class loader, so that a new process starts with newly loaded classes. */
@Implements(className = "android.app.LoadedApk", isInAndroidSdk = false)
public class ShadowPhoneLoadedApk extends ShadowLoadedApk {
  @Override
  @Implementation
  public ClassLoader getClassLoader() {
    ClassLoader framework = super.getClassLoader();
    ClassLoader app = AppProcess.loader();
    return app == null ? framework : app;
  }

  @Override
  @Implementation
  public ClassLoader getSplitClassLoader(String splitName) {
    return getClassLoader();
  }
}
