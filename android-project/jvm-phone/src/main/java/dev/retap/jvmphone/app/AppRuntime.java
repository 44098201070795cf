package dev.retap.jvmphone.app;

import android.os.SystemClock;
import java.util.Random;
import java.util.UUID;

/** What the app's code calls in place of the machine's clock, chance and end. Named after what it stands for. */
public final class AppRuntime {
    /** A morning in spring: dates on screens are the same in every run. */
    private static final long BOOT_MILLIS = 1_745_395_200_000L;

    private static final Random CHANCE = new Random(42);

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
        return CHANCE.nextDouble();
    }

    public static UUID randomUUID() {
        return new UUID(CHANCE.nextLong(), CHANCE.nextLong());
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

    public static void killProcess(int pid) {
        throw new Exited(9);
    }
}
