package dev.retap.jvmphone.prepare;

import dev.retap.jvmphone.prepare.BinaryXml.Element;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Content of an APK's AndroidManifest.xml. */
final class Manifest {
  private static final int LABEL = 0x01010001;
  private static final int NAME = 0x01010003;
  private static final int ENABLED = 0x0101000e;
  private static final int TARGET_ACTIVITY = 0x01010202;
  private static final int MIN_SDK = 0x0101020c;
  private static final int VERSION_CODE = 0x0101021b;
  private static final int VERSION_NAME = 0x0101021c;
  private static final int TARGET_SDK = 0x01010270;
  private static final int VERSION_CODE_MAJOR = 0x01010576;

  /** First API level that stands for an unreleased version. */
  private static final int FIRST_PREVIEW = 10_000;

  private static final String ACTIVITY = "manifest/application/activity";
  private static final String ALIAS = "manifest/application/activity-alias";

  private final BinaryXml xml;
  private final ResourceTable resources;
  final String packageName;

  Manifest(byte[] file, ResourceTable resources) {
    this.xml = new BinaryXml(file);
    this.resources = resources;
    packageName = root().attribute("package");
    if (packageName == null || packageName.isEmpty()) {
      throw new IllegalArgumentException("it names no package");
    }
  }

  /** Name of the split; null for an app in one APK. */
  String split() {
    return root().attribute("split");
  }

  long versionCode() {
    return (long) number(root(), VERSION_CODE_MAJOR, 0) << 32
        | number(root(), VERSION_CODE, 0) & 0xffffffffL;
  }

  String versionName() {
    return Objects.requireNonNullElse(text(root(), VERSION_NAME), "");
  }

  int minSdk() {
    return sdk(MIN_SDK, 1);
  }

  int targetSdk() {
    return sdk(TARGET_SDK, minSdk());
  }

  /** Unreleased version that the app was built for; null for a released one. */
  String preview() {
    return usesSdk()
        .flatMap(sdk -> Stream.of(MIN_SDK, TARGET_SDK).map(sdk::attribute))
        .filter(value -> value != null && !value.isReference())
        .map(
            value -> {
              String codename = root().text(value);
              return codename != null && !isNumber(codename)
                  ? codename
                  : value.isNumber() && value.data() >= FIRST_PREVIEW ? "" + value.data() : null;
            })
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  String label() {
    Stream<Element> named =
        Stream.concat(
            xml.at("manifest/application").stream(),
            launchers().map(intent -> intent.parent.parent));
    return named
        .map(element -> text(element, LABEL))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(packageName);
  }

  /** Application subclass of the app; empty if it has none. */
  String application() {
    return xml.at("manifest/application").stream()
        .map(element -> text(element, NAME))
        .filter(Objects::nonNull)
        .map(this::qualified)
        .findFirst()
        .orElse("");
  }

  /** Class names, in the order of the manifest. */
  List<String> activities() {
    return xml.at(ACTIVITY).stream()
        .map(element -> text(element, NAME))
        .filter(Objects::nonNull)
        .map(this::qualified)
        .distinct()
        .toList();
  }

  /** Activity that a launcher starts; null if there is none. */
  String launcher() {
    return launchers()
        .map(category -> category.parent.parent)
        .map(element -> text(element, element.path.equals(ALIAS) ? TARGET_ACTIVITY : NAME))
        .filter(Objects::nonNull)
        .map(this::qualified)
        .findFirst()
        .orElse(null);
  }

  /** Launcher categories in filters of enabled activities, those of phones before those of TVs. */
  private Stream<Element> launchers() {
    return Stream.of(
            "android.intent.category.LAUNCHER", "android.intent.category.LEANBACK_LAUNCHER")
        .flatMap(
            category ->
                Stream.of(ACTIVITY, ALIAS)
                    .flatMap(path -> xml.at(path + "/intent-filter/category").stream())
                    .filter(element -> category.equals(text(element, NAME))))
        .filter(element -> isMain(element.parent) && isEnabled(element.parent.parent));
  }

  private boolean isMain(Element filter) {
    Set<Element> mains =
        xml.at(filter.path + "/action").stream()
            .filter(action -> "android.intent.action.MAIN".equals(text(action, NAME)))
            .map(action -> action.parent)
            .collect(Collectors.toSet());
    return mains.contains(filter);
  }

  private boolean isEnabled(Element component) {
    Value enabled = resources.resolved(component.attribute(ENABLED));
    return enabled == null || !enabled.isFalse();
  }

  private int sdk(int attribute, int otherwise) {
    return usesSdk().map(sdk -> number(sdk, attribute, otherwise)).findFirst().orElse(otherwise);
  }

  private Stream<Element> usesSdk() {
    return xml.at("manifest/uses-sdk").stream();
  }

  private Element root() {
    return xml.at("manifest").stream()
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("it has no element `manifest`"));
  }

  private String text(Element element, int attribute) {
    Value value = element.attribute(attribute);
    return value == null || value.isString() ? element.text(value) : resources.text(value);
  }

  private int number(Element element, int attribute, int otherwise) {
    String text = text(element, attribute);
    if (text != null && isNumber(text)) {
      return Integer.parseInt(text);
    }
    Value value = resources.resolved(element.attribute(attribute));
    return value != null && value.isNumber() ? value.data() : otherwise;
  }

  private static boolean isNumber(String text) {
    return text.matches("\\d{1,9}");
  }

  /** Full class name: {@code .Main} and {@code Main} are in the app's package. */
  private String qualified(String name) {
    return name.startsWith(".")
        ? packageName + name
        : name.contains(".") ? name : packageName + "." + name;
  }
}
