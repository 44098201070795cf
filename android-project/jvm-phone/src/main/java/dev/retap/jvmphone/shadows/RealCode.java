package dev.retap.jvmphone.shadows;

import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowLinearLayout;
import org.robolectric.shadows.ShadowViewGroup;

/** Shadows that restore the framework's code, where Robolectric's shadows only record calls. */
public final class RealCode {
  private RealCode() {}

  @Implements(className = "android.widget.TabHost", isInAndroidSdk = false)
  public static class TabHost extends ShadowViewGroup {}

  @Implements(className = "android.widget.TabHost$TabSpec", isInAndroidSdk = false)
  public static class TabSpec {}

  @Implements(className = "android.widget.TabWidget", isInAndroidSdk = false)
  public static class TabWidget extends ShadowLinearLayout {}

  @Implements(className = "android.app.TabActivity", isInAndroidSdk = false)
  public static class TabActivity extends ShadowPhoneActivity {}

  @Implements(className = "android.app.ActivityGroup", isInAndroidSdk = false)
  public static class ActivityGroup extends ShadowPhoneActivity {}

  /** Restored because it stops itself, which only this phone's server can do. */
  @Implements(className = "android.app.IntentService", isInAndroidSdk = false)
  public static class IntentService extends ShadowPhoneService {}

  @Implements(className = "android.widget.NumberPicker", isInAndroidSdk = false)
  public static class NumberPicker extends ShadowLinearLayout {}

  @Implements(className = "android.widget.ScrollView", isInAndroidSdk = false)
  public static class ScrollView extends ShadowViewGroup {}

  @Implements(className = "android.widget.ViewAnimator", isInAndroidSdk = false)
  public static class ViewAnimator extends ShadowViewGroup {}

  @Implements(className = "android.view.ScaleGestureDetector", isInAndroidSdk = false)
  public static class ScaleGestureDetector {}

  @Implements(className = "android.os.CountDownTimer", isInAndroidSdk = false)
  public static class CountDownTimer {}
}
