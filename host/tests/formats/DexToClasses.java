import com.googlecode.d2j.dex.Dex2jar;
import java.io.File;
import java.nio.file.Path;
import java.util.zip.ZipFile;

/** Converts the first dex file of an APK, which has the UiAutomator library, to a JAR. */
public final class DexToClasses {
  private static final String DEX = "classes.dex";

  private DexToClasses() {}

  public static void main(String[] arguments) throws Exception {
    try (ZipFile apk = new ZipFile(new File(arguments[0]))) {
      byte[] dex = apk.getInputStream(apk.getEntry(DEX)).readAllBytes();
      Dex2jar.from(dex).to(Path.of(arguments[1], DEX + ".jar"));
    }
  }
}
