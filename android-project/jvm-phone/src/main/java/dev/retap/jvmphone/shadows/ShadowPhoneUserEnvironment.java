package dev.retap.jvmphone.shadows;

import dev.retap.jvmphone.server.Storage;
import java.io.File;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/** Where the one volume is: the framework takes the first without asking whether there is one. */
@Implements(className = "android.os.Environment$UserEnvironment", isInAndroidSdk = false)
public class ShadowPhoneUserEnvironment {
  @Implementation
  protected File[] getExternalDirs() {
    return new File[] {Storage.shared("")};
  }
}
