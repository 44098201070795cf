package dev.retap.jvmphone.shadows;

import dev.retap.jvmphone.server.Storage;
import java.io.File;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/** Directory of the only volume: the framework takes the first without a check. */
@Implements(className = "android.os.Environment$UserEnvironment", isInAndroidSdk = false)
public class ShadowPhoneUserEnvironment {
  @Implementation
  protected File[] getExternalDirs() {
    return new File[] {Storage.shared("")};
  }
}
