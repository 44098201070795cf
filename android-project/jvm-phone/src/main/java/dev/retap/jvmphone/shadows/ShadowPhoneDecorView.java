package dev.retap.jvmphone.shadows;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.view.View;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowViewGroup;
import org.robolectric.util.reflector.ForType;

/**
 * Gives the DecorView of an activity inside a tab its own accessibility id: it is not a window's
 * root, and must not have a root's id.
 */
@Implements(className = "com.android.internal.policy.DecorView", isInAndroidSdk = false)
public class ShadowPhoneDecorView extends ShadowViewGroup {
  @RealObject private View decor;

  @Implementation
  protected int getAccessibilityViewId() {
    if (decor.getParent() instanceof View) {
      return reflector(Real.class, decor).getAccessibilityViewId();
    }
    return android.view.accessibility.AccessibilityNodeInfo.ROOT_ITEM_ID;
  }

  @ForType(value = View.class, direct = true)
  interface Real {
    int getAccessibilityViewId();
  }
}
