package dev.retap.jvmphone;

import dev.retap.jvmphone.shadows.RealCode;
import dev.retap.jvmphone.shadows.RenderThread;
import dev.retap.jvmphone.shadows.ShadowPhoneActivity;
import dev.retap.jvmphone.shadows.ShadowPhoneActivityManager;
import dev.retap.jvmphone.shadows.ShadowPhoneActivityTaskManager;
import dev.retap.jvmphone.shadows.ShadowPhoneActivityThread;
import dev.retap.jvmphone.shadows.ShadowPhoneClock;
import dev.retap.jvmphone.shadows.ShadowPhoneContextImpl;
import dev.retap.jvmphone.shadows.ShadowPhoneDecorView;
import dev.retap.jvmphone.shadows.ShadowPhoneGeocoder;
import dev.retap.jvmphone.shadows.ShadowPhoneLoadedApk;
import dev.retap.jvmphone.shadows.ShadowPhoneMediaPlayer;
import dev.retap.jvmphone.shadows.ShadowPhonePackageManager;
import dev.retap.jvmphone.shadows.ShadowPhonePackageMonitor;
import dev.retap.jvmphone.shadows.ShadowPhoneSdkSandbox;
import dev.retap.jvmphone.shadows.ShadowPhoneService;
import dev.retap.jvmphone.shadows.ShadowPhoneStorageManager;
import dev.retap.jvmphone.shadows.ShadowPhoneUiAutomation;
import dev.retap.jvmphone.shadows.ShadowPhoneUserEnvironment;
import dev.retap.jvmphone.shadows.ShadowPhoneUserManager;
import dev.retap.jvmphone.shadows.ShadowPhoneViewRoot;

/**
 * Shadows that connect the framework's system calls to this phone's server instead of Robolectric's
 * records.
 */
final class Shadows {
  static final Class<?>[] ALL = {
    RealCode.TabHost.class,
    RealCode.TabSpec.class,
    RealCode.TabWidget.class,
    RealCode.TabActivity.class,
    RealCode.ActivityGroup.class,
    RealCode.IntentService.class,
    RealCode.NumberPicker.class,
    RealCode.ScrollView.class,
    RealCode.ViewAnimator.class,
    RealCode.ScaleGestureDetector.class,
    RealCode.CountDownTimer.class,
    RenderThread.Animator.class,
    RenderThread.Vector.class,
    ShadowPhoneActivity.class,
    ShadowPhoneActivityManager.class,
    ShadowPhoneActivityTaskManager.class,
    ShadowPhoneActivityThread.class,
    ShadowPhoneClock.class,
    ShadowPhoneContextImpl.class,
    ShadowPhoneDecorView.class,
    ShadowPhoneGeocoder.class,
    ShadowPhoneLoadedApk.class,
    ShadowPhoneMediaPlayer.class,
    ShadowPhonePackageManager.class,
    ShadowPhonePackageMonitor.class,
    ShadowPhoneSdkSandbox.class,
    ShadowPhoneService.class,
    ShadowPhoneStorageManager.class,
    ShadowPhoneUiAutomation.class,
    ShadowPhoneUserEnvironment.class,
    ShadowPhoneUserManager.class,
    ShadowPhoneViewRoot.class,
  };

  private Shadows() {}
}
