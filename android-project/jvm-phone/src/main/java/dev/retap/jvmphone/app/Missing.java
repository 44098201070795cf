package dev.retap.jvmphone.app;

import dev.retap.jvmphone.server.Unsupported;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.regex.Pattern;

/** Distinguishes what this phone lacks from failures of the app. */
public final class Missing {
  /** Message of a NullPointerException for a system service that does not exist here. */
  private static final Pattern NO_SERVICE =
      Pattern.compile(
          "because (the return value of"
              + " )?\"[^\"]*(get(System|Content)?Service\\([^\"]*\\)|[a-z]Service)\" is null");

  /** Framework classes that only access hardware or missing processes. */
  private static final List<String> HARDWARE =
      List.of(
          "android.telephony.SmsManager",
          "android.media.MediaPlayer",
          "android.media.MediaRecorder",
          "android.media.Audio",
          "android.media.SoundPool",
          "android.media.MediaCodec",
          "android.opengl.",
          "android.hardware.Camera",
          "android.bluetooth.",
          "android.nfc.",
          "android.print.",
          "android.widget.VideoView",
          "android.webkit.WebViewFactory");

  private static final List<String> LIBRARIES =
      List.of(
          "org/apache/http/",
          "android/",
          "com/android/",
          "com/google/android/maps/",
          "com/google/android/gles_jni/",
          "javax/microedition/");

  private Missing() {}

  /** Name of the missing feature; null if the failure is the app's. */
  public static String in(Throwable error) {
    if (isEndless(error)) {
      return null;
    }
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      String missing = at(cause);
      if (missing != null) {
        return missing;
      }
    }
    return null;
  }

  /**
   * Whether the stack has overflowed: endless recursion may end anywhere, in the phone's own code
   * too.
   */
  private static boolean isEndless(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof StackOverflowError) {
        return true;
      }
    }
    return false;
  }

  private static String at(Throwable cause) {
    if (cause instanceof Unsupported unsupported) {
      return unsupported.what();
    }
    StackTraceElement[] stack = cause.getStackTrace();
    boolean inRobolectric =
        stack.length > 0 && stack[0].getClassName().startsWith("org.robolectric.");
    if (cause instanceof UnsatisfiedLinkError) {
      return "native code, " + cause.getMessage();
    }
    boolean noClass =
        cause instanceof NoClassDefFoundError || cause instanceof ClassNotFoundException;
    if (noClass && isFramework(cause.getMessage())) {
      return "the class " + cause.getMessage().replace('/', '.');
    }
    if (cause instanceof NullPointerException
        && NO_SERVICE.matcher(String.valueOf(cause.getMessage())).find()) {
      return "a system service, " + cause.getMessage();
    }
    if (cause instanceof GeneralSecurityException
        && String.valueOf(cause.getMessage()).contains("Android")) {
      return "a key store, " + cause.getMessage();
    }
    if (stack.length > 0 && HARDWARE.stream().anyMatch(stack[0].getClassName()::startsWith)) {
      return cause + " at " + stack[0];
    }
    if (cause.getClass() == IncompatibleClassChangeError.class || cause instanceof VerifyError) {
      return "a class that could not be translated, " + cause.getMessage();
    }
    if (stack.length > 0 && stack[0].getClassName().startsWith("android.widget.Magnifier")) {
      return "the magnifier, which copies pixels of a surface";
    }
    boolean isLookUp =
        cause instanceof android.content.res.Resources.NotFoundException
            || cause instanceof ClassNotFoundException;
    if (inRobolectric && !isLookUp) {
      return cause + " at " + stack[0];
    }
    return null;
  }

  /** Whether a class belongs to a phone's framework or to a library that phones have. */
  private static boolean isFramework(String name) {
    if (name == null) {
      return false;
    }
    String file = name.replace('.', '/');
    return Framework.has(file + ".class")
        || LIBRARIES.stream().anyMatch(file::startsWith) && !file.startsWith("android/support/");
  }
}
