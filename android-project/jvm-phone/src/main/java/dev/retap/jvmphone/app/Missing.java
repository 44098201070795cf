package dev.retap.jvmphone.app;

import dev.retap.jvmphone.server.Unsupported;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.regex.Pattern;

/** Tells what only this phone lacks from what the app did wrong. */
public final class Missing {
  /** What the runtime says where the framework, or an app, was given no service to call. */
  private static final Pattern NO_SERVICE =
      Pattern.compile(
          "because (the return value of"
              + " )?\"[^\"]*(get(System|Content)?Service\\([^\"]*\\)|[a-z]Service)\" is null");

  /** Framework code that does nothing but speak to hardware, or to a process that is not there. */
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

  /** What is missing, or null if the failure is the app's. */
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
   * Code that calls itself without end meets the end of the stack wherever it happens to be, in the
   * phone's own code too.
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
      return "a keeper of keys, " + cause.getMessage();
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

  /** Of a phone's own classes and of libraries that come with phones. */
  private static boolean isFramework(String name) {
    if (name == null) {
      return false;
    }
    String file = name.replace('.', '/');
    return Framework.has(file + ".class")
        || LIBRARIES.stream().anyMatch(file::startsWith) && !file.startsWith("android/support/");
  }
}
