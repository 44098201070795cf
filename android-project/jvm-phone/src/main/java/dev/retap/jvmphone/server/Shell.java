package dev.retap.jvmphone.server;

import dev.retap.jvmphone.Phone;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * The way in for the phone's shell programs (`bin/cmd`, `bin/getprop`): a pipe in the phone's
 * folder at which they ring.
 */
final class Shell implements Runnable {
  private static final String NAME = "shell";

  private final Path folder;

  private Shell(Path folder) {
    this.folder = folder;
  }

  /** Returns when programs can ring: the agent tries them before it does anything else. */
  static void start() {
    Path folder = Path.of(System.getProperty(Phone.DATA)).getParent();
    Path pipe = folder.resolve(NAME);
    try {
      // Of an earlier phone in the same folder.
      Files.deleteIfExists(pipe);
      int code = new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start().waitFor();
      if (code != 0) {
        throw new IOException("mkfifo ended with " + code);
      }
    } catch (IOException | InterruptedException e) {
      System.err.println("warning: the phone has no shell: " + e);
      return;
    }
    Thread thread = new Thread(new Shell(folder), NAME);
    thread.setDaemon(true);
    thread.setContextClassLoader(Shell.class.getClassLoader());
    thread.start();
  }

  @Override
  public void run() {
    // For both ways: a pipe that nobody writes to at the moment has no end for whoever could.
    try (RandomAccessFile bell = new RandomAccessFile(folder.resolve(NAME).toFile(), "rw")) {
      while (true) {
        serve(NAME + "." + bell.readLine());
      }
    } catch (IOException e) {
      System.err.println("warning: the phone's shell has ended: " + e);
    }
  }

  /** Whatever goes wrong with one caller, the next one is served. */
  private void serve(String caller) {
    Path pipe = folder.resolve(caller);
    Path asked = folder.resolve(caller + ".words");
    try {
      List<String> words = List.of(Files.readString(asked).split("\0"));
      // Open while it works: a caller whose phone dies comes to the end of it. Both ends are open
      // then, and need no name.
      try (OutputStream answer = Files.newOutputStream(pipe, StandardOpenOption.WRITE)) {
        Files.delete(pipe);
        Files.delete(asked);
        ShellCommands.Said said = said(words);
        answer.write((said.code() + "\n" + said.text()).getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      System.err.println("warning: a program of the phone's shell was not answered: " + e);
    }
  }

  private static ShellCommands.Said said(List<String> words) {
    try {
      return ShellCommands.run(words);
    } catch (RuntimeException | LinkageError e) {
      e.printStackTrace();
      return ShellCommands.failed(
          "Exception occurred while executing '" + String.join(" ", words) + "': " + e);
    }
  }
}
