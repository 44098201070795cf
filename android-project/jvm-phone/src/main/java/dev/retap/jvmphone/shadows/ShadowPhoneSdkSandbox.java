package dev.retap.jvmphone.shadows;

import android.content.Context;
import android.content.Intent;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/**
 * Reports that no activity belongs to an SDK sandbox; the framework checks this for every activity
 * inside a tab.
 */
@Implements(
    className = "android.app.sdksandbox.sandboxactivity.SdkSandboxActivityAuthority",
    isInAndroidSdk = false)
public class ShadowPhoneSdkSandbox {
  @Implementation
  protected static boolean isSdkSandboxActivityIntent(Context context, Intent intent) {
    return false;
  }
}
