package dev.retap.jvmphone.shadows;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.app.UiAutomation;
import android.graphics.Bitmap;
import android.os.Handler;
import android.os.HandlerThread;
import android.os.UserHandle;
import dev.retap.jvmphone.server.Display;
import dev.retap.jvmphone.server.MainThread;
import dev.retap.jvmphone.server.Picture;
import dev.retap.jvmphone.server.Server;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.reflector.ForType;

/**
 * What UiAutomation has no accessibility service for: pixels, rotation and permissions. The rest is
 * its own code.
 */
@Implements(className = "android.app.UiAutomation")
public class ShadowPhoneUiAutomation {
  @RealObject private UiAutomation automation;

  /**
   * On a phone the agent hears of events on the main thread of its own process. Here that thread is
   * the app's: what is told there would come between the app's messages, at a moment that is
   * another one in every run.
   */
  @Implementation
  protected void setOnAccessibilityEventListener(
      UiAutomation.OnAccessibilityEventListener listener) {
    HandlerThread thread = ReflectionHelpers.getField(automation, "mRemoteCallbackThread");
    ReflectionHelpers.setField(
        automation, "mLocalCallbackHandler", new Handler(thread.getLooper()));
    reflector(Real.class, automation).setOnAccessibilityEventListener(listener);
  }

  @ForType(value = UiAutomation.class, direct = true)
  interface Real {
    void setOnAccessibilityEventListener(UiAutomation.OnAccessibilityEventListener listener);
  }

  @Implementation
  protected Bitmap takeScreenshot() {
    return MainThread.call(Picture::take);
  }

  /** The display turns also if the app fails at that: then the call has no answer. */
  @Implementation
  protected boolean setRotation(int rotation) {
    return !Boolean.FALSE.equals(MainThread.call(() -> Display.rotate(rotation)));
  }

  @Implementation
  protected void grantRuntimePermissionAsUser(
      String packageName, String permission, UserHandle user) {
    MainThread.call(() -> Server.grant(permission));
  }
}
