package dev.retap.jvmphone.server;

import android.content.Intent;
import dev.retap.jvmphone.app.AppProcess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a phone's `cmd` and `getprop` do, in Android's words, as far as the system makes something
 * come upon an app.
 */
final class ShellCommands {
  /** What a program says, and the code that it ends with. */
  record Said(int code, String text) {}

  private static final int NO_SERVICE = 20;
  private static final int FAILED = 255;

  /** The package of the shell itself, which every phone has. */
  private static final String SHELL = "com.android.shell";

  private static final String ACTIVITY_HELP =
      """
      Activity manager (activity) commands:
        help
            Print this help text.
        broadcast [--user <USER_ID>] -a <ACTION> -p <PACKAGE>
            Send a broadcast Intent.
        kill [--user <USER_ID>] <PACKAGE>
            Kill all background processes associated with the given package.
        send-trim-memory [--user <USER_ID>] <PROCESS> RUNNING_CRITICAL
            Send a memory trim event to a <PROCESS>.
      """;
  private static final String CONNECTIVITY_HELP =
      """
      Connectivity service commands:
        airplane-mode [enable|disable]
          Turn airplane mode on or off, or say which it is.
      """;
  private static final String LOCALE_HELP =
      """
      Locale manager (locale) shell commands:
        set-app-locales <PACKAGE_NAME> [--user <USER_ID>] [--locales <LOCALE_INFO>]
            Set the locales for the specified app; without them it has the phone's.
        get-app-locales <PACKAGE_NAME> [--user <USER_ID>]
            Get the locales for the specified app.
      """;
  private static final String ALARM_HELP =
      """
      Alarm manager service (alarm) commands:
        set-timezone TZ
          Set the system timezone to TZ where TZ is the Olson id.
      """;
  private static final String IDLE_HELP =
      """
      Device idle controller (deviceidle) commands:
        force-idle
          Force directly into idle mode, regardless of other device state.
        unforce
          Resume normal functioning after force-idle.
      """;

  private ShellCommands() {}

  /** The first word is the program's name. Returns when the app has handled what came of it. */
  static Said run(List<String> words) {
    List<String> rest = words.subList(1, words.size());
    if (words.get(0).equals("getprop")) {
      return said(Surroundings.property(rest.isEmpty() ? "" : rest.get(0)) + "\n");
    }
    String service = rest.isEmpty() ? "" : rest.get(0);
    Words command = new Words(rest.subList(Math.min(1, rest.size()), rest.size()));
    return switch (service) {
      case "activity" -> activity(command);
      case "connectivity" -> connectivity(command);
      case "locale" -> locale(command);
      case "alarm" -> alarm(command);
      case "deviceidle" -> idle(command);
      default -> new Said(NO_SERVICE, "cmd: Can't find service: " + service + "\n");
    };
  }

  private static Said activity(Words words) {
    return switch (words.name()) {
      case "help" -> said(ACTIVITY_HELP);
      case "broadcast" -> broadcast(words);
      case "send-trim-memory" -> trim(words);
      // An app in front is spared, and no state is kept here for one that is not.
      case "kill" -> said("");
      default -> unknown(words);
    };
  }

  private static Said broadcast(Words words) {
    String action = words.option("-a");
    if (action == null) {
      return failed("Error: No intent supplied");
    }
    if (ProtectedBroadcasts.has(action)) {
      return failed(
          "Security exception: Permission Denial: not allowed to send broadcast "
              + action
              + " from pid="
              + Server.PID
              + ", uid=2000");
    }
    Intent intent = new Intent(action).setPackage(words.option("-p"));
    done(() -> Broadcasts.fromShell(intent));
    return said("Broadcasting: " + intent + "\nBroadcast completed: result=0\n");
  }

  private static Said trim(Words words) {
    if (!words.argument(1).equals("RUNNING_CRITICAL")) {
      return failed("Error: Unknown level option: " + words.argument(1));
    }
    if (!AppProcess.runs() || !words.argument(0).equals(Server.packageName())) {
      return failed(
          "Exception occurred while executing 'send-trim-memory':\n"
              + "java.lang.IllegalArgumentException: Unknown process: "
              + words.argument(0));
    }
    done(Components::shortenMemory);
    return said("");
  }

  private static Said connectivity(Words words) {
    if (!words.name().equals("airplane-mode")) {
      return words.name().equals("help") ? said(CONNECTIVITY_HELP) : unknown(words);
    }
    return switch (words.argument(0)) {
      case "" -> said(Network.isAirplaneMode() ? "enabled\n" : "disabled\n");
      case "enable" -> done(() -> Network.setAirplaneMode(true));
      case "disable" -> done(() -> Network.setAirplaneMode(false));
      default -> failed(CONNECTIVITY_HELP);
    };
  }

  private static Said locale(Words words) {
    String name = words.argument(0);
    boolean isApp = name.equals(Server.packageName());
    String user = words.option("--user") == null ? "0" : words.option("--user");
    return switch (words.name()) {
      case "help" -> said(LOCALE_HELP);
      case "get-app-locales", "set-app-locales" -> {
        if (!isApp && !name.equals(SHELL)) {
          yield failed("Unknown package " + name + " for userId " + user);
        }
        if (words.name().startsWith("get")) {
          String tags = isApp ? Language.tags() : "";
          yield said("Locales for " + name + " for user " + user + " are [" + tags + "]\n");
        }
        String tags = words.option("--locales") == null ? "" : words.option("--locales");
        yield isApp ? done(() -> Language.set(tags)) : said("");
      }
      default -> unknown(words);
    };
  }

  private static Said alarm(Words words) {
    return switch (words.name()) {
      case "help" -> said(ALARM_HELP);
      // As on a phone: silent about an id that it does not know.
      case "set-timezone" -> done(() -> Surroundings.setZone(words.argument(0)));
      default -> unknown(words);
    };
  }

  private static Said idle(Words words) {
    return switch (words.name()) {
      case "help" -> said(IDLE_HELP);
      case "force-idle" -> {
        done(() -> Surroundings.setIdle(true));
        yield said("Now forced in to deep idle mode\n");
      }
      case "unforce" -> {
        done(() -> Surroundings.setIdle(false));
        yield said("Light state: ACTIVE, deep state: ACTIVE\n");
      }
      default -> unknown(words);
    };
  }

  /**
   * On the main thread, with everything that comes due because of it. What the app does of it comes
   * by messages: whatever it lacks for that is no refusal of the system's, and is told to whoever
   * asks for something next.
   */
  private static Said done(Runnable change) {
    MainThread.call(
        () -> {
          change.run();
          PhoneClock.run();
          return null;
        });
    Events.arrive();
    return said("");
  }

  private static Said said(String text) {
    return new Said(0, text);
  }

  static Said failed(String text) {
    return new Said(FAILED, text + "\n");
  }

  private static Said unknown(Words words) {
    return failed("Unknown command: " + words.name());
  }

  /** A command's name, its arguments, and its options, each of which has a value. */
  private static final class Words {
    private static final Set<String> OPTIONS = Set.of("--user", "--locales", "-a", "-p");

    private final List<String> plain = new ArrayList<>();
    private final Map<String, String> options = new HashMap<>();

    Words(List<String> words) {
      for (int number = 0; number < words.size(); number++) {
        if (OPTIONS.contains(words.get(number)) && number + 1 < words.size()) {
          options.put(words.get(number), words.get(++number));
        } else {
          plain.add(words.get(number));
        }
      }
    }

    String name() {
      return plain.isEmpty() ? "help" : plain.get(0);
    }

    /** Empty if there are not so many. */
    String argument(int number) {
      return number + 1 < plain.size() ? plain.get(number + 1) : "";
    }

    /** Null if it was not given. */
    String option(String name) {
      return options.get(name);
    }
  }
}
