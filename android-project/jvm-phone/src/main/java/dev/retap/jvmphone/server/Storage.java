package dev.retap.jvmphone.server;

import android.content.pm.ApplicationInfo;
import dev.retap.jvmphone.Phone;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadows.ShadowEnvironment;

/** The app's data and the shared storage: folders that outlive its process. */
final class Storage {
    private Storage() {}

    /** Points the app at its folders, and gives it what its manifest says instead of what the framework guessed. */
    static void attach() {
        ApplicationInfo info = RuntimeEnvironment.getApplication().getApplicationInfo();
        String data = folder("data").toString();
        info.dataDir = data;
        info.credentialProtectedDataDir = data;
        info.deviceProtectedDataDir = folder("device").toString();
        info.targetSdkVersion = Integer.parseInt(Phone.about().getProperty("targetSdk", "0"));
        ShadowEnvironment.setExternalStorageDirectory(folder("shared"));
        ShadowEnvironment.setExternalStorageState("mounted");
    }

    /** True if nothing is left. */
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

    private static Path folder(String name) {
        Path folder = Path.of(System.getProperty(Phone.DATA), name);
        try {
            return Files.createDirectories(folder);
        } catch (IOException e) {
            throw new IllegalStateException("could not make `" + folder + "`", e);
        }
    }
}
