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

/** The way in for the phone's shell programs (`bin/cmd`, `bin/getprop`): a pipe in the phone's folder at which they ring. */
final class Shell implements Runnable {
    private static final String NAME = "shell";

    private final Path folder;

    private Shell(Path folder) {
        this.folder = folder;
    }

    /** Returns when programs can ring: the agent tries them before it does anything else. */
    static void start() {
        Path folder = Path.of(System.getProperty(Phone.DATA)).getParent();
        try {
            int code = new ProcessBuilder("mkfifo", folder.resolve(NAME).toString()).inheritIO().start().waitFor();
            if (code != 0) {
                System.err.println("warning: the phone has no shell: mkfifo ended with " + code);
                return;
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

    private void serve(String caller) throws IOException {
        String words = Files.readString(folder.resolve(caller + ".words"));
        // Open while it works: a caller whose phone dies comes to the end of it.
        try (OutputStream answer = Files.newOutputStream(folder.resolve(caller), StandardOpenOption.WRITE)) {
            ShellCommands.Said said = ShellCommands.run(List.of(words.split("\0")));
            answer.write((said.code() + "\n" + said.text()).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            System.err.println("warning: nobody waits for what `" + words.replace('\0', ' ') + "` says: " + e);
        }
    }
}
