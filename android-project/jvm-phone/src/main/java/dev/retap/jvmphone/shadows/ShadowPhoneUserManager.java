package dev.retap.jvmphone.shadows;

import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowUserManager;

/** Reports the user as unlocked: apps may read their data. */
@Implements(className = "android.os.UserManager", isInAndroidSdk = false)
public class ShadowPhoneUserManager extends ShadowUserManager {
  @Implementation
  protected boolean isUserUnlockingOrUnlocked(int user) {
    return true;
  }
}
