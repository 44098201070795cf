package dev.retap.jvmphone.prepare;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/** APK that the user named, opened as a ZIP archive. */
final class Apk implements AutoCloseable {
  static final String RESOURCES = "resources.arsc";
  private static final String MANIFEST = "AndroidManifest.xml";
  private static final Pattern DEX = Pattern.compile("classes([2-9]|[1-9]\\d{1,3})?\\.dex");
  private static final Pattern SIGNATURE =
      Pattern.compile("META-INF/[^/]*\\.SF", Pattern.CASE_INSENSITIVE);

  /** Limit for one entry: larger than any entry of a real app. */
  private static final int LARGEST_ENTRY = 256 << 20;

  private final Path path;
  private final ZipFile zip;

  Apk(Path path) throws Refused {
    this.path = path;
    if (!Files.isRegularFile(path)) {
      throw new Refused(
          "could not read " + path,
          Files.exists(path) ? "it is no file" : "there is no such file",
          "name an APK file");
    }
    try {
      zip = new ZipFile(path.toFile());
    } catch (IOException | IllegalArgumentException e) {
      throw new Refused(
          path + " is not an APK",
          e,
          "name a whole APK file; one that was cut off must be fetched again");
    }
  }

  byte[] manifest() throws Refused {
    if (zip.getEntry(MANIFEST) == null) {
      boolean bundle =
          zip.getEntry("BundleConfig.pb") != null
              || zip.stream().anyMatch(e -> e.getName().endsWith(".apk"));
      throw new Refused(
          path + " is not an APK",
          "it has no " + MANIFEST,
          bundle
              ? "it is a bundle: make one universal APK of it with bundletool"
              : "name an APK file");
    }
    return read(MANIFEST);
  }

  byte[] resources() throws Refused {
    if (zip.getEntry(RESOURCES) == null) {
      throw new Refused(
          "could not prepare " + path,
          "it has no resources (" + RESOURCES + ")",
          "name the app's base APK; an app without any resources is not supported by the JVM"
              + " phone");
    }
    return read(RESOURCES);
  }

  /** Dex files (classes.dex, classes2.dex …) in the order of class lookup on a phone. */
  List<String> dexFiles() throws Refused {
    List<String> names =
        zip.stream()
            .map(ZipEntry::getName)
            .filter(name -> DEX.matcher(name).matches())
            .distinct()
            .sorted(java.util.Comparator.comparingInt(Apk::dexNumber))
            .toList();
    if (names.isEmpty()) {
      boolean isNative = zip.stream().anyMatch(entry -> entry.getName().matches("lib/.*\\.so"));
      throw new Refused(
          "could not prepare " + path,
          isNative ? "it has native code only, no classes.dex" : "it has no code, no classes.dex",
          "such an app is not supported by the JVM phone: use a phone");
    }
    return names;
  }

  private static int dexNumber(String name) {
    Matcher matcher = DEX.matcher(name);
    return matcher.matches() && matcher.group(1) != null ? Integer.parseInt(matcher.group(1)) : 1;
  }

  byte[] read(String name) throws Refused {
    try (InputStream in = zip.getInputStream(zip.getEntry(name))) {
      byte[] bytes = in.readNBytes(LARGEST_ENTRY + 1);
      if (bytes.length > LARGEST_ENTRY) {
        throw new Refused(
            "could not read " + name + " in " + path,
            "it has more than 256 MB",
            "name an APK of an app");
      }
      return bytes;
    } catch (IOException | IllegalArgumentException e) {
      throw damaged(name, e);
    }
  }

  Refused damaged(String name, Throwable why) {
    return new Refused(
        "could not read " + name + " in " + path,
        why,
        "the file is damaged or no APK: fetch or build it again");
  }

  /** Copies the APK with other resources. The signature is omitted: it would be invalid. */
  void copyTo(OutputStream out, byte[] resources) throws IOException, Refused {
    try (ZipOutputStream copy = new ZipOutputStream(out)) {
      for (Enumeration<? extends ZipEntry> entries = zip.entries(); entries.hasMoreElements(); ) {
        ZipEntry entry = entries.nextElement();
        String name = entry.getName();
        if (!entry.isDirectory() && !SIGNATURE.matcher(name).matches()) {
          byte[] bytes = name.equals(RESOURCES) ? resources : read(name);
          // Stored entries stay stored: the framework maps some of them into memory.
          put(copy, name, bytes, entry.getMethod() == ZipEntry.STORED);
        }
      }
    }
  }

  /** Writes an entry, stored or compressed. */
  static void put(ZipOutputStream out, String name, byte[] bytes, boolean stored)
      throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTime(0);
    if (stored) {
      CRC32 crc = new CRC32();
      crc.update(bytes);
      entry.setMethod(ZipEntry.STORED);
      entry.setSize(bytes.length);
      entry.setCrc(crc.getValue());
    }
    out.putNextEntry(entry);
    out.write(bytes);
    out.closeEntry();
  }

  @Override
  public void close() throws IOException {
    zip.close();
  }
}
