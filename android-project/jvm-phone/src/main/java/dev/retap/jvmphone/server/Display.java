package dev.retap.jvmphone.server;

import android.content.pm.ActivityInfo;
import android.content.res.Configuration;
import android.content.res.Resources;
import android.view.Surface;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.shadows.ShadowDisplay;

/** Rotation of the display: set by the agent, unless the top activity requests one. */
public final class Display {
  private static int wanted = Surface.ROTATION_0;
  private static boolean turning;

  private Display() {}

  /** Sets the rotation: UiAutomation.ROTATION_FREEZE_*, 0 to 3. Negative values are ignored. */
  public static boolean rotate(int rotation) {
    if (rotation >= 0) {
      wanted = rotation;
      update();
    }
    return true;
  }

  /** Applies the requested rotation. */
  static void update() {
    int rotation = forced(wanted);
    android.view.Display display = ShadowDisplay.getDefaultDisplay();
    if (display.getRotation() == rotation) {
      return;
    }
    turning = true;
    try {
      turn(display, rotation);
    } finally {
      turning = false;
    }
  }

  static boolean isTurning() {
    return turning;
  }

  private static void turn(android.view.Display display, int rotation) {
    Shadows.shadowOf(display).setRotation(rotation);
    boolean landscape = rotation == Surface.ROTATION_90 || rotation == Surface.ROTATION_270;
    int orientation = Resources.getSystem().getConfiguration().orientation;
    if (landscape != (orientation == Configuration.ORIENTATION_LANDSCAPE)) {
      RuntimeEnvironment.setQualifiers(landscape ? "+land" : "+port");
      Server.stack().reconfigure();
    }
  }

  private static int forced(int rotation) {
    Record top = Server.stack().topRecord();
    int asked = top == null ? ActivityInfo.SCREEN_ORIENTATION_UNSPECIFIED : top.orientation;
    return switch (asked) {
      case ActivityInfo.SCREEN_ORIENTATION_LANDSCAPE,
          ActivityInfo.SCREEN_ORIENTATION_SENSOR_LANDSCAPE,
          ActivityInfo.SCREEN_ORIENTATION_USER_LANDSCAPE ->
          Surface.ROTATION_90;
      case ActivityInfo.SCREEN_ORIENTATION_PORTRAIT,
          ActivityInfo.SCREEN_ORIENTATION_SENSOR_PORTRAIT,
          ActivityInfo.SCREEN_ORIENTATION_USER_PORTRAIT ->
          Surface.ROTATION_0;
      default -> rotation;
    };
  }
}
