package dev.retap.jvmphone.shadows;

import android.location.Address;
import java.io.IOException;
import java.util.List;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/** Reports at once that there is no geocoder; the framework's code would wait a minute for one. */
@Implements(className = "android.location.Geocoder", isInAndroidSdk = false)
public class ShadowPhoneGeocoder {
  @Implementation
  protected static boolean isPresent() {
    return false;
  }

  @Implementation
  protected List<Address> getFromLocation(double latitude, double longitude, int most)
      throws IOException {
    throw new IOException("Service not Available");
  }

  @Implementation
  protected List<Address> getFromLocationName(String name, int most) throws IOException {
    throw new IOException("Service not Available");
  }

  @Implementation
  protected List<Address> getFromLocationName(
      String name, int most, double south, double west, double north, double east)
      throws IOException {
    throw new IOException("Service not Available");
  }
}
