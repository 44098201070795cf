package dev.retap.jvmphone.shadows;

import android.graphics.animation.RenderNodeAnimator;
import android.graphics.drawable.AnimatedVectorDrawable.VectorDrawableAnimatorRT;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowNativeAnimatedVectorDrawable;
import org.robolectric.shadows.ShadowNativeRenderNodeAnimator;

/**
 * Disables animations of the render thread, such as ripples and check marks. There is no such
 * thread here, so they never end, and the native side would keep their listeners, and the activity,
 * alive forever.
 */
public final class RenderThread {
  private RenderThread() {}

  @Implements(
      className = "android.graphics.animation.RenderNodeAnimator",
      isInAndroidSdk = false,
      callNativeMethodsByDefault = true)
  public static class Animator extends ShadowNativeRenderNodeAnimator {
    @Implementation
    protected static void nSetListener(long animator, RenderNodeAnimator listener) {}

    @Implementation
    protected static void nStart(long animator) {}
  }

  @Implements(
      className = "android.graphics.drawable.AnimatedVectorDrawable",
      isInAndroidSdk = false,
      callNativeMethodsByDefault = true)
  public static class Vector extends ShadowNativeAnimatedVectorDrawable {
    @Implementation
    protected static void nStart(long set, VectorDrawableAnimatorRT listener, int id) {}

    @Implementation
    protected static void nReverse(long set, VectorDrawableAnimatorRT listener, int id) {}
  }
}
