package dev.retap.jvmphone.app;

import android.os.SystemClock;
import java.io.File;
import java.io.IOException;
import java.util.Random;
import java.util.UUID;

/**
 * Replacements for the machine's clock, random numbers, programs and exit. Methods have the names
 * of those that they replace.
 */
public final class AppRuntime {
  /** Fixed wall-clock time of the boot: dates on screens are the same in every run. */
  public static final long BOOT_MILLIS = 1_745_395_200_000L;

  private static final Random RANDOM = new Random(42);

  private AppRuntime() {}

  public static long currentTimeMillis() {
    return BOOT_MILLIS + SystemClock.uptimeMillis();
  }

  public static long nanoTime() {
    return SystemClock.uptimeMillis() * 1_000_000;
  }

  public static void sleep(long millis) throws InterruptedException {
    SystemClock.sleep(millis);
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  public static double random() {
    return RANDOM.nextDouble();
  }

  public static UUID randomUUID() {
    return new UUID(RANDOM.nextLong(), RANDOM.nextLong());
  }

  public static void exit(int status) {
    throw new Exited(status);
  }

  public static void exit(Runtime runtime, int status) {
    throw new Exited(status);
  }

  public static void halt(Runtime runtime, int status) {
    throw new Exited(status);
  }

  public static Process exec(Runtime runtime, String command) throws IOException {
    throw noProgram(command);
  }

  public static Process exec(Runtime runtime, String command, String[] environment)
      throws IOException {
    throw noProgram(command);
  }

  public static Process exec(Runtime runtime, String command, String[] environment, File folder)
      throws IOException {
    throw noProgram(command);
  }

  public static Process exec(Runtime runtime, String[] command) throws IOException {
    throw noProgram(command[0]);
  }

  public static Process exec(Runtime runtime, String[] command, String[] environment)
      throws IOException {
    throw noProgram(command[0]);
  }

  public static Process exec(Runtime runtime, String[] command, String[] environment, File folder)
      throws IOException {
    throw noProgram(command[0]);
  }

  public static Process start(ProcessBuilder builder) throws IOException {
    throw noProgram(builder.command().get(0));
  }

  /** Error for starting a program: the machine's programs are not the phone's. */
  private static IOException noProgram(String command) {
    String program = command.trim().split("\\s+")[0];
    return new IOException(
        "Cannot run program \"" + program + "\": error=2, No such file or directory");
  }

  public static void killProcess(int pid) {
    throw new Exited(9);
  }
}
