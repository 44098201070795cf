package dev.retap.jvmphone.server;

import android.app.Application;
import android.content.ContentResolver;
import android.content.pm.PackageManager;
import android.os.Build;
import android.provider.Settings;
import java.util.Set;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;

/** State of a new phone: settings, installed packages, permissions granted at installation. */
final class Fresh {
  /** Runtime permissions, since Android 6; all others are granted at installation. */
  private static final Set<String> ASKED_FOR =
      Set.of(
          "READ_CALENDAR",
          "WRITE_CALENDAR",
          "CAMERA",
          "READ_CONTACTS",
          "WRITE_CONTACTS",
          "GET_ACCOUNTS",
          "ACCESS_FINE_LOCATION",
          "ACCESS_COARSE_LOCATION",
          "ACCESS_BACKGROUND_LOCATION",
          "RECORD_AUDIO",
          "READ_PHONE_STATE",
          "READ_PHONE_NUMBERS",
          "CALL_PHONE",
          "ANSWER_PHONE_CALLS",
          "READ_CALL_LOG",
          "WRITE_CALL_LOG",
          "ADD_VOICEMAIL",
          "USE_SIP",
          "PROCESS_OUTGOING_CALLS",
          "BODY_SENSORS",
          "SEND_SMS",
          "RECEIVE_SMS",
          "READ_SMS",
          "RECEIVE_WAP_PUSH",
          "RECEIVE_MMS",
          "READ_EXTERNAL_STORAGE",
          "WRITE_EXTERNAL_STORAGE",
          "ACCESS_MEDIA_LOCATION",
          "READ_MEDIA_IMAGES",
          "READ_MEDIA_VIDEO",
          "READ_MEDIA_AUDIO",
          "POST_NOTIFICATIONS",
          "BLUETOOTH_SCAN",
          "BLUETOOTH_CONNECT",
          "BLUETOOTH_ADVERTISE",
          "NEARBY_WIFI_DEVICES",
          "ACTIVITY_RECOGNITION",
          "UWB_RANGING",
          "WRITE_SETTINGS",
          "SYSTEM_ALERT_WINDOW");

  private static final String PREFIX = "android.permission.";

  private Fresh() {}

  static void attach() {
    Application application = RuntimeEnvironment.getApplication();
    settings(application.getContentResolver());
    grant(application);
    Installed.attach(application);
  }

  private static void settings(ContentResolver resolver) {
    Settings.System.putInt(resolver, Settings.System.SCREEN_BRIGHTNESS, 102);
    Settings.System.putInt(resolver, Settings.System.SCREEN_BRIGHTNESS_MODE, 0);
    Settings.System.putInt(resolver, Settings.System.SCREEN_OFF_TIMEOUT, 60_000);
    Settings.System.putInt(resolver, Settings.System.ACCELEROMETER_ROTATION, 1);
    Settings.System.putInt(resolver, Settings.System.HAPTIC_FEEDBACK_ENABLED, 1);
    Settings.System.putInt(resolver, Settings.System.SOUND_EFFECTS_ENABLED, 1);
    Settings.Secure.putString(resolver, Settings.Secure.ANDROID_ID, "5f2c9d1e8a7b4c30");
    for (String off :
        new String[] {
          "adb_enabled", "airplane_mode_on", "data_roaming", "install_non_market_apps"
        }) {
      Settings.Global.putInt(resolver, off, 0);
      Settings.Secure.putInt(resolver, off, 0);
      Settings.System.putInt(resolver, off, 0);
    }
  }

  /**
   * Grants permissions: all requested ones to apps for versions before Android 6, otherwise those
   * that are not runtime permissions.
   */
  private static void grant(Application application) {
    String[] wanted;
    try {
      wanted =
          application
              .getPackageManager()
              .getPackageInfo(application.getPackageName(), PackageManager.GET_PERMISSIONS)
              .requestedPermissions;
    } catch (PackageManager.NameNotFoundException e) {
      throw new IllegalStateException(e);
    }
    boolean all = application.getApplicationInfo().targetSdkVersion < Build.VERSION_CODES.M;
    for (String permission : wanted == null ? new String[0] : wanted) {
      boolean asked =
          permission.startsWith(PREFIX)
              && ASKED_FOR.contains(permission.substring(PREFIX.length()));
      if (all || !asked) {
        Shadows.shadowOf(application).grantPermissions(permission);
      }
    }
  }
}
