package dev.retap.jvmphone.app;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Asks the kernel whether a thread is runnable. The JVM reports a woken thread as waiting until it
 * has run again, which can take long on a busy machine.
 */
final class Scheduled {
  private static final Path TASKS = Path.of("/proc/self/task");

  /** Length of a thread's name in the kernel. */
  private static final int NAME_BYTES = 15;

  /**
   * Files with the state of each thread: several if threads share a name. The thread counts as
   * runnable if one of them is.
   */
  private static final Map<Thread, List<RandomAccessFile>> STATES = new WeakHashMap<>();

  private Scheduled() {}

  static synchronized boolean isScheduled(Thread thread) {
    List<RandomAccessFile> states = STATES.get(thread);
    if (states == null) {
      states = find(thread);
      // A new thread does not have its name in the kernel yet.
      if (!states.isEmpty()) {
        STATES.put(thread, states);
      }
    }
    return states.stream().anyMatch(Scheduled::runs);
  }

  /** Drops threads that have ended. */
  static synchronized void forget() {
    STATES
        .entrySet()
        .removeIf(
            known -> {
              boolean ended = !known.getKey().isAlive();
              if (ended) {
                known.getValue().forEach(Scheduled::close);
              }
              return ended;
            });
  }

  private static List<RandomAccessFile> find(Thread thread) {
    List<RandomAccessFile> found = new ArrayList<>();
    byte[] name = thread.getName().getBytes(StandardCharsets.UTF_8);
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      for (Path task : tasks) {
        if (isNamed(task, name)) {
          found.add(new RandomAccessFile(task.resolve("stat").toFile(), "r"));
        }
      }
    } catch (IOException e) {
      // No such directory, or the thread has just ended: only the JVM's state is known.
      return found;
    }
    return found;
  }

  private static boolean isNamed(Path task, byte[] name) throws IOException {
    byte[] line = Files.readAllBytes(task.resolve("comm"));
    int kept = Math.min(name.length, NAME_BYTES);
    return line.length == kept + 1 && java.util.Arrays.equals(line, 0, kept, name, 0, kept);
  }

  /** Whether a line {@code TID (NAME) STATE …} has state R. The name may contain anything. */
  private static boolean runs(RandomAccessFile state) {
    byte[] line = new byte[64];
    try {
      state.seek(0);
      int length = state.read(line);
      for (int at = length - 1; at > 0; at--) {
        if (line[at] == ')') {
          return at + 2 < length && line[at + 2] == 'R';
        }
      }
      return false;
    } catch (IOException e) {
      // The thread has ended.
      return false;
    }
  }

  private static void close(RandomAccessFile state) {
    try {
      state.close();
    } catch (IOException e) {
      // Nothing was written to it.
      return;
    }
  }
}
