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
 * Server for the phone's shell programs ({@code bin/cmd} and those beside it): reads requests from
 * a pipe in the phone's directory.
 */
final class Shell implements Runnable {
  private static final String NAME = "shell";

  private final Path folder;

  private Shell(Path folder) {
    this.folder = folder;
  }

  /** Returns when programs can send requests: the agent probes them first. */
  static void start() {
    Path folder = Path.of(System.getProperty(Phone.DATA)).getParent();
    Path pipe = folder.resolve(NAME);
    try {
      // Left by an earlier phone in the same directory.
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
    // Opened for reading and writing: otherwise the pipe ends when no program has it open.
    try (RandomAccessFile requests = new RandomAccessFile(folder.resolve(NAME).toFile(), "rw")) {
      while (true) {
        serve(NAME + "." + requests.readLine());
      }
    } catch (IOException e) {
      System.err.println("warning: the phone's shell has ended: " + e);
    }
  }

  /** Serves one program. An error does not affect the next one. */
  private void serve(String caller) {
    Path pipe = folder.resolve(caller);
    Path argumentFile = folder.resolve(caller + ".words");
    try {
      List<String> arguments = List.of(Files.readString(argumentFile).split("\0"));
      // Open while the command runs: if the phone dies, the program reads the end of the pipe. With
      // both ends open the files are no longer needed.
      try (OutputStream reply = Files.newOutputStream(pipe, StandardOpenOption.WRITE)) {
        Files.delete(pipe);
        Files.delete(argumentFile);
        ShellCommands.Output output = output(arguments);
        reply.write((output.code() + "\n" + output.text()).getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      System.err.println("warning: a program of the phone's shell was not answered: " + e);
    }
  }

  private static ShellCommands.Output output(List<String> arguments) {
    try {
      return ShellCommands.run(arguments);
    } catch (RuntimeException | LinkageError e) {
      e.printStackTrace();
      return ShellCommands.failure(
          "Exception occurred while executing '" + String.join(" ", arguments) + "': " + e);
    }
  }
}
