package dev.retap.jvmphone.server;

import android.app.ActivityManager;
import android.app.Application;
import android.content.ComponentName;
import android.content.ContentResolver;
import android.content.pm.ApplicationInfo;
import android.content.pm.ConfigurationInfo;
import android.content.pm.FeatureInfo;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.os.Build;
import android.provider.Settings;
import android.view.inputmethod.InputMethodInfo;
import android.view.inputmethod.InputMethodManager;
import java.nio.file.Path;
import java.util.List;
import org.robolectric.Shadows;
import org.robolectric.shadows.ShadowPackageManager;

/**
 * Installed packages and hardware of the phone: the system package, a keyboard, memory, features.
 */
final class Installed {
  private static final String SYSTEM = "android";
  private static final ComponentName KEYBOARD =
      new ComponentName("dev.retap.keyboard", "dev.retap.keyboard.Keyboard");

  /** Features that this phone really has. */
  private static final List<String> FEATURES =
      List.of(
          PackageManager.FEATURE_TOUCHSCREEN,
          PackageManager.FEATURE_TOUCHSCREEN_MULTITOUCH,
          PackageManager.FEATURE_TOUCHSCREEN_MULTITOUCH_DISTINCT,
          PackageManager.FEATURE_FAKETOUCH,
          PackageManager.FEATURE_SCREEN_PORTRAIT,
          PackageManager.FEATURE_SCREEN_LANDSCAPE,
          PackageManager.FEATURE_WIFI,
          PackageManager.FEATURE_LOCATION,
          PackageManager.FEATURE_LOCATION_GPS,
          PackageManager.FEATURE_LOCATION_NETWORK,
          PackageManager.FEATURE_INPUT_METHODS,
          PackageManager.FEATURE_HOME_SCREEN);

  /** OpenGL ES 2.0, required by Android's compatibility definition. */
  private static final int GL_ES_2 = 0x0002_0000;

  private static final long MEMORY = 4L << 30;

  private Installed() {}

  static void attach(Application application) {
    ShadowPackageManager packages = Shadows.shadowOf(application.getPackageManager());
    packages.installPackage(system());
    // As after an installation by adb.
    packages.setInstallSourceInfo(application.getPackageName(), "com.android.shell", null);
    packages.clearSystemAvailableFeatures();
    for (String name : FEATURES) {
      FeatureInfo feature = new FeatureInfo();
      feature.name = name;
      packages.addSystemAvailableFeature(feature);
      packages.setSystemFeature(name, true);
    }
    setMemory(application.getSystemService(ActivityManager.class));
    keyboard(
        application.getSystemService(InputMethodManager.class), application.getContentResolver());
  }

  /** System package. Its file exists, as on a phone: apps inspect the source of other packages. */
  private static PackageInfo system() {
    PackageInfo system = new PackageInfo();
    system.packageName = SYSTEM;
    system.versionName = Build.VERSION.RELEASE;
    system.setLongVersionCode(Build.VERSION.SDK_INT);
    ApplicationInfo info = new ApplicationInfo();
    info.packageName = SYSTEM;
    info.processName = "system";
    info.uid = android.os.Process.SYSTEM_UID;
    info.flags =
        ApplicationInfo.FLAG_SYSTEM
            | ApplicationInfo.FLAG_PERSISTENT
            | ApplicationInfo.FLAG_INSTALLED
            | ApplicationInfo.FLAG_HAS_CODE;
    info.sourceDir = framework().toString();
    info.publicSourceDir = info.sourceDir;
    info.dataDir = "/data/system";
    info.nativeLibraryDir = "/system/lib64";
    info.labelRes = com.android.internal.R.string.android_system_label;
    info.icon = com.android.internal.R.drawable.sym_def_app_icon;
    info.targetSdkVersion = Build.VERSION.SDK_INT;
    info.minSdkVersion = Build.VERSION.SDK_INT;
    system.applicationInfo = info;
    return system;
  }

  /** Jar of the framework, with its resources. */
  private static Path framework() {
    return Path.of(System.getProperty("robolectric.dependency.dir"))
        .resolve(
            org.robolectric.RuntimeEnvironment.getAndroidFrameworkJarPath()
                .getFileName()
                .toString());
  }

  private static void setMemory(ActivityManager manager) {
    ActivityManager.MemoryInfo memory = new ActivityManager.MemoryInfo();
    memory.totalMem = MEMORY;
    memory.availMem = MEMORY / 2;
    memory.threshold = MEMORY / 16;
    Shadows.shadowOf(manager).setMemoryInfo(memory);
    ConfigurationInfo hardware = new ConfigurationInfo();
    hardware.reqGlEsVersion = GL_ES_2;
    Shadows.shadowOf(manager).setDeviceConfigurationInfo(hardware);
  }

  private static void keyboard(InputMethodManager manager, ContentResolver resolver) {
    List<InputMethodInfo> keyboards =
        List.of(
            new InputMethodInfo(
                KEYBOARD.getPackageName(), KEYBOARD.getClassName(), "Keyboard", null));
    Shadows.shadowOf(manager).setInputMethodInfoList(keyboards);
    Shadows.shadowOf(manager).setEnabledInputMethodInfoList(keyboards);
    Settings.Secure.putString(
        resolver, Settings.Secure.DEFAULT_INPUT_METHOD, KEYBOARD.flattenToShortString());
    Settings.Secure.putString(
        resolver, Settings.Secure.ENABLED_INPUT_METHODS, KEYBOARD.flattenToShortString());
  }
}
