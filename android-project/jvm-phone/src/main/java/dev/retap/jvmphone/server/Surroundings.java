package dev.retap.jvmphone.server;

import android.content.Intent;
import android.os.PowerManager;
import java.util.Arrays;
import java.util.TimeZone;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;

/**
 * What the system changes around an app, and keeps over the app's processes: time zone and sleep;
 * network and language by theirs.
 */
final class Surroundings {
  private static TimeZone zone = TimeZone.getDefault();
  private static boolean idle;

  private Surroundings() {}

  /** To a framework that was set up anew, which an app may have told its own. */
  static void attach() {
    Network.attach();
    Language.attach();
    useZone();
    useIdle();
  }

  /** As `getprop` says it: empty for what is not there. */
  static String property(String name) {
    return name.equals("persist.sys.timezone") ? zone.getID() : "";
  }

  /** What is no time zone changes nothing. */
  static void setZone(String id) {
    if (id.equals(zone.getID()) || !Arrays.asList(TimeZone.getAvailableIDs()).contains(id)) {
      return;
    }
    zone = TimeZone.getTimeZone(id);
    useZone();
    Broadcasts.fromSystem(
        new Intent(Intent.ACTION_TIMEZONE_CHANGED).putExtra(Intent.EXTRA_TIMEZONE, id));
  }

  private static void useZone() {
    TimeZone.setDefault(zone);
    // It keeps what it has once read.
    android.icu.util.TimeZone.setICUDefault(null);
  }

  static void setIdle(boolean on) {
    if (idle != on) {
      idle = on;
      useIdle();
    }
  }

  /** Robolectric sends the broadcast of it. */
  private static void useIdle() {
    PowerManager power = RuntimeEnvironment.getApplication().getSystemService(PowerManager.class);
    Shadows.shadowOf(power).setIsDeviceIdleMode(idle);
  }
}
