package dev.retap.jvmphone.shadows;

import dev.retap.jvmphone.server.PhoneClock;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowPausedSystemClock;

/** Virtual clock: only the phone advances it, and a sleep lets time pass. */
@Implements(className = "android.os.SystemClock", isInAndroidSdk = false)
public class ShadowPhoneClock extends ShadowPausedSystemClock {
  @Implementation
  protected static void sleep(long millis) {
    PhoneClock.sleep(millis);
  }
}
