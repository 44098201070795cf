package dev.retap.jvmphone.app;

import java.io.File;
import java.io.IOException;
import java.util.jar.JarFile;

/** Index of the framework's classes, by its jar. */
final class Framework {
  private static final JarFile JAR = open();

  private Framework() {}

  /** Whether the framework has a class file, by its name with slashes. */
  static boolean has(String file) {
    return JAR.getJarEntry(file) != null;
  }

  private static JarFile open() {
    File folder = new File(System.getProperty("robolectric.dependency.dir"));
    File[] jars =
        folder.listFiles(
            (where, name) -> name.startsWith("android-all-instrumented") && name.endsWith(".jar"));
    if (jars == null || jars.length != 1) {
      throw new IllegalStateException(
          "`" + folder + "` must have one framework; run scripts/build-jvm-phone");
    }
    try {
      return new JarFile(jars[0], false);
    } catch (IOException e) {
      throw new IllegalStateException("could not read the framework", e);
    }
  }
}
