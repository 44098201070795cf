package dev.retap.jvmphone.server;

import android.content.Intent;
import dev.retap.jvmphone.app.AppProcess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Commands of a phone's {@code cmd}, {@code getprop} and {@code logcat}, with Android's output. */
final class ShellCommands {
  /** Output of a program and its exit code. */
  record Output(int code, String text) {}

  private static final int NO_SERVICE = 20;
  private static final int FAILED = 255;

  /** Package of the shell, which every phone has. */
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

  /**
   * Runs a program. The first argument is its name. Returns when the app has handled the effects.
   */
  static Output run(List<String> arguments) {
    List<String> rest = arguments.subList(1, arguments.size());
    if (arguments.get(0).equals("getprop")) {
      return success(Surroundings.property(rest.isEmpty() ? "" : rest.get(0)) + "\n");
    }
    if (arguments.get(0).equals("logcat")) {
      return success(AppLog.print(rest));
    }
    String service = rest.isEmpty() ? "" : rest.get(0);
    Command command = new Command(rest.subList(Math.min(1, rest.size()), rest.size()));
    return switch (service) {
      case "activity" -> activity(command);
      case "connectivity" -> connectivity(command);
      case "locale" -> locale(command);
      case "alarm" -> alarm(command);
      case "deviceidle" -> idle(command);
      default -> new Output(NO_SERVICE, "cmd: Can't find service: " + service + "\n");
    };
  }

  private static Output activity(Command command) {
    return switch (command.name()) {
      case "help" -> success(ACTIVITY_HELP);
      case "broadcast" -> broadcast(command);
      case "send-trim-memory" -> trim(command);
      // Android spares an app in front, and no state of a background app is kept here.
      case "kill" -> success("");
      default -> unknown(command);
    };
  }

  private static Output broadcast(Command command) {
    String action = command.option("-a");
    if (action == null) {
      return failure("Error: No intent supplied");
    }
    if (ProtectedBroadcasts.has(action)) {
      return failure(
          "Security exception: Permission Denial: not allowed to send broadcast "
              + action
              + " from pid="
              + Server.PID
              + ", uid=2000");
    }
    Intent intent = new Intent(action).setPackage(command.option("-p"));
    apply(() -> Broadcasts.fromShell(intent));
    return success("Broadcasting: " + intent + "\nBroadcast completed: result=0\n");
  }

  private static Output trim(Command command) {
    if (!command.argument(1).equals("RUNNING_CRITICAL")) {
      return failure("Error: Unknown level option: " + command.argument(1));
    }
    if (!AppProcess.runs() || !command.argument(0).equals(Server.packageName())) {
      return failure(
          "Exception occurred while executing 'send-trim-memory':\n"
              + "java.lang.IllegalArgumentException: Unknown process: "
              + command.argument(0));
    }
    apply(Components::trimMemory);
    return success("");
  }

  private static Output connectivity(Command command) {
    if (!command.name().equals("airplane-mode")) {
      return command.name().equals("help") ? success(CONNECTIVITY_HELP) : unknown(command);
    }
    return switch (command.argument(0)) {
      case "" -> success(Network.isAirplaneMode() ? "enabled\n" : "disabled\n");
      case "enable" -> apply(() -> Network.setAirplaneMode(true));
      case "disable" -> apply(() -> Network.setAirplaneMode(false));
      default -> failure(CONNECTIVITY_HELP);
    };
  }

  private static Output locale(Command command) {
    String name = command.argument(0);
    boolean isApp = name.equals(Server.packageName());
    String user = command.option("--user") == null ? "0" : command.option("--user");
    return switch (command.name()) {
      case "help" -> success(LOCALE_HELP);
      case "get-app-locales", "set-app-locales" -> {
        if (!isApp && !name.equals(SHELL)) {
          yield failure("Unknown package " + name + " for userId " + user);
        }
        if (command.name().startsWith("get")) {
          String tags = isApp ? Language.tags() : "";
          yield success("Locales for " + name + " for user " + user + " are [" + tags + "]\n");
        }
        String tags = command.option("--locales") == null ? "" : command.option("--locales");
        yield isApp ? apply(() -> Language.set(tags)) : success("");
      }
      default -> unknown(command);
    };
  }

  private static Output alarm(Command command) {
    return switch (command.name()) {
      case "help" -> success(ALARM_HELP);
      // As on a phone, an unknown id is ignored silently.
      case "set-timezone" -> apply(() -> Surroundings.setZone(command.argument(0)));
      default -> unknown(command);
    };
  }

  private static Output idle(Command command) {
    return switch (command.name()) {
      case "help" -> success(IDLE_HELP);
      case "force-idle" -> {
        apply(() -> Surroundings.setIdle(true));
        yield success("Now forced in to deep idle mode\n");
      }
      case "unforce" -> {
        apply(() -> Surroundings.setIdle(false));
        yield success("Light state: ACTIVE, deep state: ACTIVE\n");
      }
      default -> unknown(command);
    };
  }

  /**
   * Applies a change on the main thread and runs the messages that are due because of it. The app
   * handles it in messages: features that they lack are not errors of this command, and are thrown
   * to the next caller.
   */
  private static Output apply(Runnable change) {
    MainThread.call(
        () -> {
          change.run();
          PhoneClock.run();
          return null;
        });
    Events.flush();
    return success("");
  }

  private static Output success(String text) {
    return new Output(0, text);
  }

  static Output failure(String text) {
    return new Output(FAILED, text + "\n");
  }

  private static Output unknown(Command command) {
    return failure("Unknown command: " + command.name());
  }

  /** Name, arguments and options of a command. Every option has a value. */
  private static final class Command {
    private static final Set<String> OPTIONS = Set.of("--user", "--locales", "-a", "-p");

    private final List<String> plain = new ArrayList<>();
    private final Map<String, String> options = new HashMap<>();

    Command(List<String> arguments) {
      for (int number = 0; number < arguments.size(); number++) {
        if (OPTIONS.contains(arguments.get(number)) && number + 1 < arguments.size()) {
          options.put(arguments.get(number), arguments.get(++number));
        } else {
          plain.add(arguments.get(number));
        }
      }
    }

    String name() {
      return plain.isEmpty() ? "help" : plain.get(0);
    }

    /** Argument at an index; empty if there are fewer. */
    String argument(int number) {
      return number + 1 < plain.size() ? plain.get(number + 1) : "";
    }

    /** Value of an option; null if it was not given. */
    String option(String name) {
      return options.get(name);
    }
  }
}
