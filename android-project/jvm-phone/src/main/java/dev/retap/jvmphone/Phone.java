package dev.retap.jvmphone;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;

/**
 * Starts the phone: a sandbox with the framework and one app, in which the bootstrap's main runs.
 */
public final class Phone {
  /** System properties that pass the arguments into the sandbox. */
  public static final String APP = "retap.app";

  public static final String DATA = "retap.data";
  public static final String ARGUMENTS = "retap.arguments";
  public static final int LEVEL = 35;

  /** Packages of the JDK that Robolectric and the phone access by reflection. */
  private static final String[] OPENED = {
    "java.lang", "java.lang.reflect", "java.io", "java.net", "java.util", "java.nio"
  };

  private Phone() {}

  public static void main(String[] args) throws Exception {
    if (args.length < 3) {
      fail("usage: Phone PREPARED_FOLDER DATA_FOLDER LIBRARY [arguments of the agent]");
    }
    Path app = Path.of(args[0]);
    for (String part : new String[] {"app.apk", "classes.jar", "app.properties"}) {
      if (!Files.isRegularFile(app.resolve(part))) {
        fail("`" + app + "` is no prepared app: it has no " + part);
      }
    }
    for (String opened : OPENED) {
      if (!Object.class.getModule().isOpen(opened, Phone.class.getModule())) {
        fail(
            "the JVM keeps `"
                + opened
                + "` closed; start it with --add-opens java.base/"
                + opened
                + "=ALL-UNNAMED");
      }
    }
    // Ends with the process that started it. Otherwise it would wait minutes for a host.
    ProcessHandle.current()
        .parent()
        .ifPresent(parent -> parent.onExit().thenRun(() -> Runtime.getRuntime().halt(0)));
    System.setProperty(APP, app.toAbsolutePath().toString());
    System.setProperty(DATA, Path.of(args[1]).toAbsolutePath().toString());
    System.setProperty(ARGUMENTS, String.join("\n", Arrays.asList(args).subList(2, args.length)));
    run();
  }

  /** Properties of the app, as the preparation wrote them. */
  public static Properties about() {
    Properties about = new Properties();
    try (FileInputStream in = new FileInputStream(System.getProperty(APP) + "/app.properties")) {
      about.load(in);
    } catch (IOException e) {
      throw new IllegalStateException("could not read the app's properties", e);
    }
    return about;
  }

  /**
   * Runs the phone. Returns only if it could not be started: otherwise the process ends with the
   * agent.
   */
  private static void run() throws Exception {
    RunNotifier notifier = new RunNotifier();
    notifier.addListener(
        new RunListener() {
          @Override
          public void testFailure(Failure failure) {
            failure.getException().printStackTrace();
            fail("the phone could not be started: " + failure.getException());
          }
        });
    new PhoneRunner().run(notifier);
    fail("the phone has ended by itself");
  }

  static void fail(String why) {
    System.err.println("error: " + why);
    Runtime.getRuntime().halt(2);
  }
}
