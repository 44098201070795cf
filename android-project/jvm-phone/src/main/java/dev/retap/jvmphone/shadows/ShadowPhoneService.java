package dev.retap.jvmphone.shadows;

import android.app.Service;
import dev.retap.jvmphone.server.Services;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowService;

/** Connects stopSelf to this phone's server. */
@Implements(className = "android.app.Service", isInAndroidSdk = false)
public class ShadowPhoneService extends ShadowService {
  @RealObject private Service service;

  @Override
  @Implementation
  protected void stopSelf(int start) {
    Services.stopSelf(service, start);
  }

  @Override
  @Implementation
  protected boolean stopSelfResult(int start) {
    return Services.stopSelf(service, start);
  }
}
