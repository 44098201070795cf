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
 * Whether the kernel would run a thread. The JVM says of one that was woken from a queue that it
 * waits, until it has run again; on a busy machine that can take long, and whoever asks the JVM
 * alone goes on without it.
 */
final class Scheduled {
  private static final Path TASKS = Path.of("/proc/self/task");

  /** The kernel keeps so much of a name. */
  private static final int NAME_BYTES = 15;

  /**
   * The kernel's word on each thread. Several if they cannot be told apart by name: it counts if
   * one of them runs.
   */
  private static final Map<Thread, List<RandomAccessFile>> STATES = new WeakHashMap<>();

  private Scheduled() {}

  static synchronized boolean isScheduled(Thread thread) {
    List<RandomAccessFile> states = STATES.get(thread);
    if (states == null) {
      states = find(thread);
      // One that has only begun has not yet told the kernel its name.
      if (!states.isEmpty()) {
        STATES.put(thread, states);
      }
    }
    return states.stream().anyMatch(Scheduled::runs);
  }

  /** Without those of threads that have ended. */
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
      // Where there is no such folder, or the thread has just ended, the JVM's word has to do.
      return found;
    }
    return found;
  }

  private static boolean isNamed(Path task, byte[] name) throws IOException {
    byte[] line = Files.readAllBytes(task.resolve("comm"));
    int kept = Math.min(name.length, NAME_BYTES);
    return line.length == kept + 1 && java.util.Arrays.equals(line, 0, kept, name, 0, kept);
  }

  /** `TID (NAME) STATE …`, and a name may have anything in it. */
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
      // It has ended.
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
