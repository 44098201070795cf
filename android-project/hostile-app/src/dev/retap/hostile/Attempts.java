package dev.retap.hostile;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/** The attempts. */
final class Attempts {
  private static final int PROCESSES = 4_000;
  private static final int FILES = 12;
  private static final int BLOCKS_OF_FILE = 256;
  private static final int CONNECT_MILLIS = 2_000;

  private Attempts() {}

  static boolean readHome() throws IOException {
    try (FileInputStream file = new FileInputStream(System.getProperty("retap.hostile.file"))) {
      return file.read() >= 0;
    }
  }

  static boolean readEnvironment() {
    return System.getenv(System.getProperty("retap.hostile.variable")) != null;
  }

  static boolean connect() throws IOException {
    String[] address = System.getProperty("retap.hostile.address").split(":");
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(address[0], Integer.parseInt(address[1])), CONNECT_MILLIS);
      return true;
    }
  }

  static boolean signal() throws Exception {
    return run("kill -0 " + System.getProperty("retap.hostile.process")) == 0;
  }

  /**
   * Shells that wait at a pipe. The group of the first one ends them: at the limit, no program can
   * be started to do it.
   */
  static boolean fork(File folder) throws Exception {
    File refused = new File(folder, "refused");
    String many =
        "n=0; while [ $n -lt " + PROCESSES + " ]; do (read line <pipe) & n=$((n + 1)); done";
    String shell =
        "cd "
            + folder
            + " && mkfifo pipe || exit; ("
            + many
            + ") 2>/dev/null || : >refused; kill -9 0";
    run("exec setsid sh -c '" + shell + "'");
    return !refused.exists();
  }

  static boolean fillDisk(File folder) throws IOException {
    byte[] block = new byte[1 << 20];
    File[] files = new File[FILES];
    try {
      for (int i = 0; i < FILES; i++) {
        files[i] = new File(folder, "full-" + i);
        try (FileOutputStream out = new FileOutputStream(files[i])) {
          for (int written = 0; written < BLOCKS_OF_FILE; written++) {
            out.write(block);
          }
        }
      }
      return true;
    } finally {
      for (File file : files) {
        if (file != null) {
          file.delete();
        }
      }
    }
  }

  /** By reflection: the phone redirects direct calls. */
  private static int run(String shell) throws Exception {
    Object builder =
        Class.forName("java.lang.ProcessBuilder")
            .getConstructor(String[].class)
            .newInstance((Object) new String[] {"sh", "-c", shell});
    Object process = builder.getClass().getMethod("start").invoke(builder);
    return (int) Class.forName("java.lang.Process").getMethod("waitFor").invoke(process);
  }
}
