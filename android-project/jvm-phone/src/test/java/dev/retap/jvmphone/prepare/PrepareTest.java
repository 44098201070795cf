package dev.retap.jvmphone.prepare;

import static dev.retap.jvmphone.prepare.Compiled.ENABLED;
import static dev.retap.jvmphone.prepare.Compiled.NAME;
import static dev.retap.jvmphone.prepare.Compiled.TARGET_ACTIVITY;
import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import dev.retap.jvmphone.app.Probes;
import dev.retap.jvmphone.prepare.Compiled.Element;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class PrepareTest {
  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private Path folder;
  private Path file;
  private Path cache;
  private TestApk apk;

  @Before
  public void anApkThatIsWell() throws IOException {
    folder = temporary.getRoot().toPath();
    file = folder.resolve("x.apk");
    cache = folder.resolve("cache");
    apk = new TestApk();
  }

  @Test
  public void anAppIsDescribed() throws Exception {
    Properties app = properties(prepare());
    assertEquals("example", app.getProperty("package"));
    assertEquals("An app, né \"Example\"", app.getProperty("label"));
    assertEquals("7", app.getProperty("versionCode"));
    assertEquals("1.2-β", app.getProperty("versionName"));
    assertEquals("21", app.getProperty("minSdk"));
    assertEquals("34", app.getProperty("targetSdk"));
    assertEquals("example.Main", app.getProperty("launcher"));
    assertEquals("example.App", app.getProperty("application"));
    assertEquals("example.Main,example.other.Second", app.getProperty("activities"));
    assertEquals("0", app.getProperty("untranslated"));
    // One probe at the end of the constructor and of each of the two methods.
    assertEquals("3", app.getProperty("branches"));
    assertEquals("0", app.getProperty("uncounted"));
  }

  @Test
  public void itsCodeRunsAndKnowsItsLines() throws Exception {
    try (URLClassLoader loader = loader(prepare())) {
      Class<?> one = loader.loadClass("example.One");
      assertEquals(1, one.getMethod("value").invoke(null));
      Throwable thrown =
          assertThrows(InvocationTargetException.class, () -> one.getMethod("fail").invoke(null))
              .getCause();
      assertEquals("on purpose", thrown.getMessage());
      assertEquals("example.One.fail(One.java:9)", thrown.getStackTrace()[0].toString());
    }
  }

  @Test
  public void theFirstOfSeveralDexFilesWins() throws Exception {
    apk.entries.put("classes2.dex", TestApk.dex("one-and-two.dex"));
    try (URLClassLoader loader = loader(prepare())) {
      assertEquals(1, loader.loadClass("example.One").getMethod("value").invoke(null));
      assertEquals(2, loader.loadClass("example.Two").getMethod("value").invoke(null));
    }
  }

  @Test
  public void theSecondTimeNothingIsDone() throws Exception {
    Path prepared = prepare();
    assertTrue(printed.toString().contains("translating classes.dex (1 of 1)"));
    Path jar = prepared.resolve("classes.jar");
    Files.write(jar, new byte[] {1});
    printed.reset();
    assertEquals(prepared, prepare());
    assertEquals("", printed.toString());
    assertArrayEquals(new byte[] {1}, Files.readAllBytes(jar));
  }

  @Test
  public void aFolderOfAnotherFormatIsMadeAnew() throws Exception {
    Path prepared = prepare();
    Files.writeString(prepared.resolve("app.properties"), "format=0\n");
    Files.writeString(prepared.resolve("classes.jar"), "old");
    assertEquals(prepared, prepare());
    assertEquals("example", properties(prepared).getProperty("package"));
    assertTrue(Files.size(prepared.resolve("classes.jar")) > 100);
  }

  @Test
  public void whatAKilledProcessLeftIsClearedAway() throws Exception {
    Path prepared = prepare();
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    Path left = prepared.resolveSibling(prepared.getFileName() + ".unfinished-" + ended.pid());
    Files.createDirectories(left);
    Files.writeString(left.resolve("classes.jar"), "half");
    Files.delete(prepared.resolve("app.properties"));
    prepare();
    assertEquals(List.of(prepared), inCache());
  }

  @Test
  public void anApkThatNeedsNoRepairIsCopiedByteForByte() throws Exception {
    Path prepared = prepare();
    assertArrayEquals(Files.readAllBytes(file), Files.readAllBytes(prepared.resolve("app.apk")));
  }

  @Test
  public void oldPackageHeadersAreWidenedAndTheSignatureGoes() throws Exception {
    apk.entries.put(TestApk.RESOURCES, Compiled.table(284, true, "An old app"));
    apk.entries.put("META-INF/CERT.SF", new byte[] {1});
    apk.entries.put("META-INF/CERT.RSA", new byte[] {1});
    apk.entries.put("META-INF/services/x", new byte[] {2});
    Path prepared = prepare();
    assertEquals("An old app", properties(prepared).getProperty("label"));
    try (ZipFile zip = new ZipFile(prepared.resolve("app.apk").toFile())) {
      // The same table, built with the new header.
      byte[] wide = Compiled.table(288, true, "An old app");
      assertArrayEquals(wide, zip.getInputStream(zip.getEntry(TestApk.RESOURCES)).readAllBytes());
      assertEquals(ZipEntry.STORED, zip.getEntry(TestApk.RESOURCES).getMethod());
      assertEquals(ZipEntry.DEFLATED, zip.getEntry("classes.dex").getMethod());
      assertNull(zip.getEntry("META-INF/CERT.SF"));
      // Apps query their signers.
      assertArrayEquals(
          new byte[] {1}, zip.getInputStream(zip.getEntry("META-INF/CERT.RSA")).readAllBytes());
      assertArrayEquals(
          new byte[] {2}, zip.getInputStream(zip.getEntry("META-INF/services/x")).readAllBytes());
    }
  }

  @Test
  public void textsOfEveryLengthAndEncodingAreRead() {
    for (boolean utf8 : new boolean[] {true, false}) {
      for (int length : new int[] {0, 1, 127, 128, 200, 5_000}) {
        String label = "ö".repeat(length);
        byte[] table = Compiled.table(288, utf8, label);
        assertEquals(label, new ResourceTable(table).text(new Value(1, 0x7f010000)));
      }
    }
  }

  @Test
  public void aDisabledActivityIsNoLauncherAndAnAliasLeadsToItsTarget() throws Exception {
    apk.manifest(
        34,
        Element.of("activity", NAME, ".Off", ENABLED, false, TestApk.LAUNCHER),
        Element.of("activity", NAME, ".Real"),
        Element.of("activity-alias", NAME, ".Alias", TARGET_ACTIVITY, ".Real", TestApk.LAUNCHER));
    assertEquals("example.Real", properties(prepare()).getProperty("launcher"));
  }

  @Test
  public void referencesThatLeadInACircleEnd() throws Exception {
    apk.entries.put(TestApk.RESOURCES, Compiled.table(288, true, (String) null));
    assertEquals("example", properties(prepare()).getProperty("label"));
  }

  @Test
  public void whatIsNoApkIsRefused() throws Exception {
    Path text = folder.resolve("text.apk");
    Files.writeString(text, "this is no APK\n".repeat(100));
    refused(text, "is not an APK");
    Files.write(text, new byte[0]);
    refused(text, "is not an APK");
    refused(folder.resolve("none.apk"), "there is no such file");
    refused(folder, "it is no file");
    apk.entries.remove(TestApk.MANIFEST);
    refused("it has no AndroidManifest.xml");
    apk.entries.put("base.apk", new byte[] {1});
    refused("it is a bundle");
  }

  @Test
  public void whatTheJvmPhoneCannotRunIsRefused() throws Exception {
    byte[] dex = apk.entries.remove("classes.dex");
    refused("it has no code");
    apk.entries.put("lib/arm64-v8a/libgame.so", new byte[] {1});
    refused("it has native code only");
    apk.entries.put("classes.dex", dex);
    byte[] table = apk.entries.remove(TestApk.RESOURCES);
    refused("it has no resources");
    apk.entries.put(TestApk.RESOURCES, table);
    apk.manifest(34);
    refused("it has no activities");
    apk.manifest(34, Element.of("activity", NAME, ".Main"));
    refused("none of its activities can be started by a launcher");
    for (Object preview : new Object[] {"Baklava", 10_000}) {
      apk.manifest(preview, Element.of("activity", NAME, ".Main", TestApk.LAUNCHER));
      refused("it was built for a preview of Android (`" + preview + "`)");
    }
    apk.manifest(Element.of("manifest", "package", "example", "split", "config.de"));
    refused("it is only the part `config.de` of an app");
  }

  @Test
  public void anApkThatWasCutOffIsRefusedWhereverTheCutIs() throws Exception {
    apk.write(file);
    byte[] complete = Files.readAllBytes(file);
    Path cut = folder.resolve("cut.apk");
    for (int length = 0; length < complete.length; length += 7) {
      Files.write(cut, Arrays.copyOf(complete, length));
      refused(cut, "is not an APK");
    }
  }

  @Test
  public void damagedContentIsRefusedOrHarmless() throws Exception {
    Random random = new Random(1);
    Map<String, byte[]> well = new LinkedHashMap<>(apk.entries);
    int refused = 0;
    for (String name : List.of(TestApk.MANIFEST, TestApk.RESOURCES, "classes.dex")) {
      for (int round = 0; round < 500; round++) {
        apk.entries.putAll(well);
        apk.entries.put(name, damaged(well.get(name), random));
        try {
          prepare();
        } catch (Refused e) {
          refused++;
          assertTrue(e.getMessage(), e.getMessage().contains(file.toString()));
        }
      }
    }
    assertTrue("only " + refused + " were refused", refused > 150);
    assertTrue(inCache().stream().noneMatch(path -> path.toString().contains("unfinished")));
  }

  @Test
  public void aDamagedFileIsRefusedOrHarmless() throws Exception {
    apk.write(file);
    byte[] well = Files.readAllBytes(file);
    Path other = folder.resolve("damaged.apk");
    Random random = new Random(2);
    int refused = 0;
    for (int round = 0; round < 700; round++) {
      Files.write(other, damaged(well, random));
      try {
        new Prepare(other, cache, new PrintStream(printed)).run();
      } catch (Refused e) {
        refused++;
        assertTrue(e.getMessage(), e.getMessage().contains(other.toString()));
      }
    }
    assertTrue("only " + refused + " were refused", refused > 200);
    assertTrue(inCache().stream().noneMatch(path -> path.toString().contains("unfinished")));
  }

  @Test
  public void theProgramPrintsTheFolderLastAndItsErrorsInWords() throws Exception {
    apk.write(file);
    Process process = program(file.toString(), cache.toString());
    String out = new String(process.getInputStream().readAllBytes());
    assertEquals(out, 0, process.waitFor());
    List<String> lines = out.lines().toList();
    assertTrue(Files.exists(Path.of(lines.get(lines.size() - 1)).resolve("app.properties")));

    process = program("none.apk", cache.toString());
    String error = new String(process.getErrorStream().readAllBytes());
    assertEquals(2, process.waitFor());
    assertEquals(
        "error: could not read none.apk: there is no such file; name an APK file\n", error);
  }

  private static Process program(String... args) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin/java").toString();
    List<String> start =
        List.of(java, "-cp", System.getProperty("java.class.path"), Prepare.class.getName());
    return new ProcessBuilder(Stream.concat(start.stream(), Stream.of(args)).toList()).start();
  }

  private static byte[] damaged(byte[] well, Random random) {
    byte[] bytes = well.clone();
    for (int i = 0; i <= random.nextInt(3); i++) {
      // Small numbers do more harm than large ones, which are detected at once.
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(random.nextBoolean() ? 256 : 4);
    }
    return random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
  }

  private void refused(String why) throws Exception {
    apk.write(file);
    refused(file, why);
  }

  /** Expects an error with this text, and nothing left behind. */
  private void refused(Path path, String why) throws Exception {
    Refused refused =
        assertThrows(Refused.class, () -> new Prepare(path, cache, new PrintStream(printed)).run());
    assertTrue(refused.getMessage(), refused.getMessage().contains(why));
    assertTrue(refused.getMessage(), refused.getMessage().contains(path.toString()));
    assertFalse("something was left", Files.exists(cache) && !inCache().isEmpty());
  }

  private Path prepare() throws Exception {
    apk.write(file);
    return new Prepare(file, cache, new PrintStream(printed)).run();
  }

  private List<Path> inCache() throws IOException {
    try (Stream<Path> list = Files.list(cache)) {
      return list.toList();
    }
  }

  private static Properties properties(Path prepared) throws IOException {
    Properties properties = new Properties();
    try (InputStream in = Files.newInputStream(prepared.resolve("app.properties"))) {
      properties.load(in);
    }
    return properties;
  }

  private static URLClassLoader loader(Path prepared) throws IOException {
    return new URLClassLoader(
        new URL[] {prepared.resolve("classes.jar").toUri().toURL()}, Probes.class.getClassLoader());
  }
}
