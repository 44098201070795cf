package android.app;

import android.accessibilityservice.AccessibilityServiceInfo;
import android.graphics.Bitmap;
import android.os.Looper;
import android.os.UserHandle;
import android.view.InputEvent;
import android.view.accessibility.AccessibilityEvent;
import android.view.accessibility.AccessibilityWindowInfo;
import dev.retap.agent.FakePhone;
import java.util.Arrays;
import java.util.List;

/**
 * Fake UiAutomation. scripts/build-stub-framework removes methods from it to imitate vendors'
 * phones.
 */
public final class UiAutomation {
  public interface OnAccessibilityEventListener {
    void onAccessibilityEvent(AccessibilityEvent event);
  }

  private AccessibilityServiceInfo info = new AccessibilityServiceInfo();

  public UiAutomation(Looper looper, IUiAutomationConnection connection) {}

  public void connect(int flags) {}

  public void disconnect() {}

  public AccessibilityServiceInfo getServiceInfo() {
    return info;
  }

  public void setServiceInfo(AccessibilityServiceInfo info) {
    this.info = info;
  }

  public void setOnAccessibilityEventListener(OnAccessibilityEventListener listener) {
    FakePhone.listener = listener;
  }

  /** Windows with two irregularities seen on phones: a null entry and a window without a tree. */
  public List<AccessibilityWindowInfo> getWindows() {
    return Arrays.asList(null, AccessibilityWindowInfo.keyboard(), AccessibilityWindowInfo.app());
  }

  public boolean injectInputEvent(InputEvent event, boolean sync) {
    return false;
  }

  public boolean setRotation(int rotation) {
    return true;
  }

  public Bitmap takeScreenshot() {
    return new Bitmap(FakePhone.WIDTH, FakePhone.HEIGHT);
  }

  public boolean grantRuntimePermission(String packageName, String permission, UserHandle user) {
    return true;
  }
}
