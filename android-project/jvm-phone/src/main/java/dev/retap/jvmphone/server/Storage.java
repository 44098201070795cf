package dev.retap.jvmphone.server;

import android.content.pm.ApplicationInfo;
import dev.retap.jvmphone.Phone;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadows.ShadowEnvironment;
import org.robolectric.shadows.ShadowStatFs;

/** Data of the app and shared storage: directories that outlive its process. */
public final class Storage {
  /** Blocks of 4 KiB: 16 GB, half of them free. */
  private static final int BLOCKS = 4_000_000;

  private Storage() {}

  /** Sets the app's directories, and the manifest's values in place of the framework's guesses. */
  static void attach() {
    ApplicationInfo info = RuntimeEnvironment.getApplication().getApplicationInfo();
    String data = folder("data").toString();
    info.dataDir = data;
    info.credentialProtectedDataDir = data;
    info.deviceProtectedDataDir = folder("device").toString();
    info.nativeLibraryDir = folder("lib").toString();
    String application = Phone.about().getProperty("application", "");
    info.className = application.isEmpty() ? null : application;
    info.targetSdkVersion = Integer.parseInt(Phone.about().getProperty("targetSdk", "0"));
    Path shared = folder("shared");
    for (String place : new String[] {shared.toString(), data, "/data", "/sdcard"}) {
      ShadowStatFs.registerStats(place, BLOCKS, BLOCKS / 2, BLOCKS / 2);
    }
    ShadowEnvironment.setExternalStorageDirectory(shared);
    ShadowEnvironment.setExternalStorageState("mounted");
  }

  /** Clears the app's data. Returns true if nothing is left. */
  static boolean clear() {
    Path root = Path.of(System.getProperty(Phone.DATA));
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        if (!path.equals(root)) {
          Files.delete(path);
        }
      }
    } catch (IOException e) {
      System.err.println("warning: the app's data could not be cleared: " + e);
      return false;
    }
    attach();
    return true;
  }

  /** Directory on the shared storage. */
  public static File shared(String name) {
    return folder("shared/" + name).toFile();
  }

  private static Path folder(String name) {
    Path folder = Path.of(System.getProperty(Phone.DATA), name);
    try {
      return Files.createDirectories(folder);
    } catch (IOException e) {
      throw new IllegalStateException("could not make `" + folder + "`", e);
    }
  }
}
