package dev.retap.jvmphone.shadows;

import android.content.Context;
import android.content.Intent;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/**
 * No activity belongs to an advertiser's sandbox; the framework asks that of every one inside a
 * tab.
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
