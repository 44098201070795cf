package dev.retap.jvmphone.prepare;

import static dev.retap.jvmphone.prepare.Compiled.LABEL;
import static dev.retap.jvmphone.prepare.Compiled.MIN_SDK;
import static dev.retap.jvmphone.prepare.Compiled.NAME;
import static dev.retap.jvmphone.prepare.Compiled.TARGET_SDK;
import static dev.retap.jvmphone.prepare.Compiled.VERSION_CODE;
import static dev.retap.jvmphone.prepare.Compiled.VERSION_NAME;

import dev.retap.jvmphone.prepare.Compiled.Element;
import dev.retap.jvmphone.prepare.Compiled.Reference;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipOutputStream;

/** Valid APK that each test damages. Its dex files were made by d8 from the sources beside them. */
final class TestApk {
  static final String MANIFEST = "AndroidManifest.xml";
  static final String RESOURCES = "resources.arsc";
  static final Element LAUNCHER =
      Element.of(
          "intent-filter",
          Element.of("action", NAME, "android.intent.action.MAIN"),
          Element.of("category", NAME, "android.intent.category.LAUNCHER"));

  final Map<String, byte[]> entries = new LinkedHashMap<>();

  TestApk() throws IOException {
    manifest(
        34,
        Element.of("activity", NAME, ".Main", LAUNCHER),
        Element.of("activity", NAME, "example.other.Second"));
    entries.put(RESOURCES, Compiled.table(288, true, "An app, né \"Example\""));
    entries.put("classes.dex", dex("one.dex"));
  }

  void manifest(Object targetSdk, Element... activities) {
    Element application = Element.of("application", NAME, "App", LABEL, new Reference(0x7f010000));
    application.children().addAll(List.of(activities));
    manifest(
        Element.of(
            "manifest",
            "package",
            "example",
            VERSION_CODE,
            7,
            VERSION_NAME,
            "1.2-β",
            Element.of("uses-sdk", MIN_SDK, 21, TARGET_SDK, targetSdk),
            application));
  }

  void manifest(Element root) {
    entries.put(MANIFEST, Compiled.xml(root));
  }

  void write(Path path) throws IOException {
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(path))) {
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        Apk.put(zip, entry.getKey(), entry.getValue(), entry.getKey().equals(RESOURCES));
      }
    }
  }

  static byte[] dex(String name) throws IOException {
    try (InputStream in = TestApk.class.getResourceAsStream("/prepare/" + name)) {
      return in.readAllBytes();
    }
  }
}
