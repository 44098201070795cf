package dev.retap.jvmphone.shadows;

import android.os.UserHandle;
import android.os.storage.StorageVolume;
import dev.retap.jvmphone.server.Storage;
import java.io.File;
import java.util.List;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowStorageManager;
import org.robolectric.shadows.StorageVolumeBuilder;

/**
 * Reports one volume, as on a phone without a card: the framework takes the first without a check.
 */
@Implements(className = "android.os.storage.StorageManager", isInAndroidSdk = false)
public class ShadowPhoneStorageManager extends ShadowStorageManager {
  @Implementation
  protected static StorageVolume[] getVolumeList(int user, int flags) {
    return new StorageVolume[] {shared()};
  }

  @Override
  @Implementation
  public StorageVolume[] getVolumeList() {
    return new StorageVolume[] {shared()};
  }

  @Override
  @Implementation
  protected List<StorageVolume> getStorageVolumes() {
    return List.of(shared());
  }

  @Implementation
  protected StorageVolume getPrimaryStorageVolume() {
    return shared();
  }

  @Override
  @Implementation
  public StorageVolume getStorageVolume(File file) {
    StorageVolume shared = shared();
    return file.toPath().startsWith(shared.getPathFile().toPath()) ? shared : null;
  }

  private static StorageVolume shared() {
    return new StorageVolumeBuilder(
            "emulated", Storage.shared(""), "Internal shared storage", UserHandle.SYSTEM, "mounted")
        .setIsPrimary(true)
        .setIsEmulated(true)
        .build();
  }
}
