package dev.retap.jvmphone.server;

import android.content.Intent;
import android.os.PowerManager;
import java.util.Arrays;
import java.util.TimeZone;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;

/**
 * System state that outlives the app's processes: time zone and idle mode here, network and
 * language in their classes.
 */
final class Surroundings {
  private static TimeZone zone = TimeZone.getDefault();
  private static boolean idle;

  private Surroundings() {}

  /** Connects to a new framework. The app may have changed its state. */
  static void attach() {
    Network.attach();
    Language.attach();
    useZone();
    useIdle();
  }

  /** System property, as {@code getprop} prints it; empty if there is none. */
  static String property(String name) {
    return name.equals("persist.sys.timezone") ? zone.getID() : "";
  }

  /** Sets the time zone; ignores unknown ids. */
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
    // ICU caches the default.
    android.icu.util.TimeZone.setICUDefault(null);
  }

  static void setIdle(boolean on) {
    if (idle != on) {
      idle = on;
      useIdle();
    }
  }

  /** Applies the idle mode. Robolectric sends the broadcast. */
  private static void useIdle() {
    PowerManager power = RuntimeEnvironment.getApplication().getSystemService(PowerManager.class);
    Shadows.shadowOf(power).setIsDeviceIdleMode(idle);
  }
}
