package dev.retap.jvmphone.prepare;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Prepares an APK for a JVM: CACHE/SHA-256-FORMAT/ with app.apk, classes.jar and app.properties.
 * Done once per APK. Prints its progress, and the directory as the last line.
 */
public final class Prepare {
  /**
   * Format of the directory. Programs of several versions share a cache, and must not delete each
   * other's directories under a running phone.
   */
  private static final String FORMAT = "2";

  private static final String PROPERTIES = "app.properties";

  /** Time limit for translating a hostile file; a large app takes a minute. */
  private static final Duration LIMIT = Duration.ofMinutes(10);

  /** Stack size: generated code makes the translation recurse deeply. */
  private static final long STACK = 256L << 20;

  private final Path file;
  private final Path cache;
  private final PrintStream out;

  Prepare(Path file, Path cache, PrintStream out) {
    this.file = file;
    this.cache = cache;
    this.out = out;
  }

  public static void main(String[] args) throws InterruptedException {
    if (args.length != 2) {
      fail("usage: java … " + Prepare.class.getName() + " FILE.apk CACHE_DIR");
    }
    AtomicReference<String> end =
        new AtomicReference<>(
            "could not prepare "
                + args[0]
                + ": it took more than "
                + LIMIT.toMinutes()
                + " minutes; such an app is not supported by the JVM phone");
    Thread work = new Thread(null, () -> end.set(outcome(args)), "prepare", STACK);
    work.setDaemon(true);
    work.start();
    work.join(LIMIT.toMillis());
    if (end.get() != null) {
      fail("error: " + end.get());
    }
  }

  /** Prepares the APK. Returns the error; null on success. */
  private static String outcome(String[] args) {
    try {
      Path folder =
          new Prepare(Path.of(args[0]), Path.of(args[1]).toAbsolutePath(), System.out).run();
      System.out.println(folder);
      return null;
    } catch (Refused refused) {
      return refused.getMessage();
    } catch (IOException | UncheckedIOException e) {
      return "could not prepare "
          + args[0]
          + " in "
          + args[1]
          + ": "
          + e
          + "; see that the folder can be written and has space";
    } catch (Throwable e) {
      return "could not prepare "
          + args[0]
          + ": "
          + e
          + "; this is a fault of Retap, please report it with the APK";
    }
  }

  private static void fail(String why) {
    System.err.println(why);
    System.exit(2);
  }

  Path run() throws Refused, IOException {
    try (Apk apk = new Apk(file)) {
      Path folder = cache.resolve(hash() + "-" + FORMAT);
      if (isReady(folder)) {
        return folder;
      }
      clearAwayLeftovers(folder);
      Path unfinished = folder.resolveSibling(unfinished(folder, ProcessHandle.current().pid()));
      // A killed process of the same number may have left it, in another container.
      remove(unfinished);
      try {
        Files.createDirectories(unfinished);
        make(apk, unfinished);
        publish(unfinished, folder);
      } finally {
        remove(unfinished);
      }
      return folder;
    }
  }

  private void make(Apk apk, Path folder) throws Refused, IOException {
    out.println("reading " + file);
    byte[] table = apk.resources();
    Manifest manifest;
    byte[] widened;
    Properties properties;
    try {
      widened = ResourceTable.widened(table);
    } catch (IllegalArgumentException | IndexOutOfBoundsException | ArithmeticException e) {
      throw apk.damaged(Apk.RESOURCES, e);
    }
    try {
      manifest = new Manifest(apk.manifest(), new ResourceTable(widened));
      properties = describe(manifest);
    } catch (IllegalArgumentException
        | IndexOutOfBoundsException
        | ArithmeticException
        | NullPointerException e) {
      throw apk.damaged("AndroidManifest.xml", e);
    }
    if (widened == table) {
      Files.copy(file, folder.resolve("app.apk"));
    } else {
      out.println("widening the package headers of " + Apk.RESOURCES);
      try (OutputStream copy = Files.newOutputStream(folder.resolve("app.apk"))) {
        apk.copyTo(copy, widened);
      }
    }
    Counted counted = new Counted();
    int untranslated =
        new Dex(apk, out::println, counted)
            .translate(apk.dexFiles(), folder.resolve("classes.jar"));
    if (untranslated > 0) {
      out.println(
          "warning: "
              + untranslated
              + " methods could not be translated; they throw when they are called");
    }
    if (counted.uncounted() > 0) {
      out.println("warning: in " + counted.uncounted() + " classes no branches can be counted");
    }
    properties.setProperty("untranslated", "" + untranslated);
    properties.setProperty("branches", "" + counted.probes());
    properties.setProperty("uncounted", "" + counted.uncounted());
    Files.write(folder.resolve(PROPERTIES), text(properties));
  }

  private Properties describe(Manifest manifest) throws Refused {
    String failed = "could not prepare " + file;
    if (manifest.split() != null) {
      throw new Refused(
          failed,
          "it is only the part `" + manifest.split() + "` of an app",
          "name the app's base APK");
    }
    if (manifest.preview() != null) {
      throw new Refused(
          failed,
          "it was built for a preview of Android (`" + manifest.preview() + "`)",
          "build it for a released version");
    }
    List<String> activities = manifest.activities();
    if (activities.isEmpty()) {
      throw new Refused(
          failed, "it has no activities", "there is nothing to drive: name an app with a screen");
    }
    String launcher = manifest.launcher();
    if (launcher == null) {
      throw new Refused(
          failed,
          "none of its activities can be started by a launcher",
          "name an app that a user can start");
    }
    Properties properties = new Properties();
    properties.setProperty("format", FORMAT);
    properties.setProperty("package", manifest.packageName);
    properties.setProperty("label", manifest.label());
    properties.setProperty("versionCode", "" + manifest.versionCode());
    properties.setProperty("versionName", manifest.versionName());
    properties.setProperty("targetSdk", "" + manifest.targetSdk());
    properties.setProperty("minSdk", "" + manifest.minSdk());
    properties.setProperty("launcher", launcher);
    properties.setProperty("application", manifest.application());
    properties.setProperty("activities", String.join(",", activities));
    return properties;
  }

  /** Serializes properties without the date, so that the same APK gives the same bytes. */
  private static byte[] text(Properties properties) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    properties.store(bytes, null);
    String lines = bytes.toString(java.nio.charset.StandardCharsets.ISO_8859_1);
    return lines
        .lines()
        .filter(line -> !line.startsWith("#"))
        .sorted()
        .collect(Collectors.joining("\n", "", "\n"))
        .getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  private String hash() throws Refused {
    try (DigestInputStream in =
        new DigestInputStream(Files.newInputStream(file), MessageDigest.getInstance("SHA-256"))) {
      in.transferTo(OutputStream.nullOutputStream());
      return HexFormat.of().formatHex(in.getMessageDigest().digest());
    } catch (IOException e) {
      throw new Refused("could not read " + file, e, "see that it is there and may be read");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isReady(Path folder) throws IOException {
    Path path = folder.resolve(PROPERTIES);
    Properties properties = new Properties();
    try (InputStream in = Files.newInputStream(path)) {
      properties.load(in);
    } catch (NoSuchFileException e) {
      return false;
    }
    return FORMAT.equals(properties.getProperty("format"));
  }

  /**
   * Renames the directory into place. Another process may have been first: its directory is
   * equivalent.
   */
  private static void publish(Path unfinished, Path folder) throws IOException {
    if (Files.exists(folder) && !isReady(folder)) {
      // Renaming is atomic: of two processes that find it outdated, one gets it. Deleting file by
      // file, both would fail.
      Path outdated = unfinished.resolveSibling(unfinished.getFileName() + "-outdated");
      try {
        Files.move(folder, outdated, StandardCopyOption.ATOMIC_MOVE);
        remove(outdated);
      } catch (NoSuchFileException e) {
        // The other process has it.
      }
    }
    try {
      Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      if (!isReady(folder)) {
        throw e;
      }
    }
  }

  private static String unfinished(Path folder, long process) {
    return folder.getFileName() + ".unfinished-" + process;
  }

  /** Deletes what killed processes have left. */
  private static void clearAwayLeftovers(Path folder) throws IOException {
    String prefix = folder.getFileName() + ".unfinished-";
    Files.createDirectories(folder.getParent());
    try (Stream<Path> siblings = Files.list(folder.getParent())) {
      for (Path sibling :
          siblings.filter(path -> path.getFileName().toString().startsWith(prefix)).toList()) {
        String process = sibling.getFileName().toString().substring(prefix.length());
        if (!process.matches("\\d{1,18}") || ProcessHandle.of(Long.parseLong(process)).isEmpty()) {
          remove(sibling);
        }
      }
    }
  }

  private static void remove(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> all = Files.walk(folder)) {
        for (Path path : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }
}
