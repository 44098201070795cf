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

/** Screenshots, rotation and permissions of UiAutomation. The rest is the framework's code. */
@Implements(className = "android.app.UiAutomation")
public class ShadowPhoneUiAutomation {
  @RealObject private UiAutomation automation;

  /**
   * Delivers events on UiAutomation's own thread. On a phone the agent receives them on the main
   * thread of its own process. Here that thread is the app's: events would come between the app's
   * messages, at another moment in every run.
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

  /** Rotates the display, also if the app crashes on it: then the call has no result. */
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
