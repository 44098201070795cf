package dev.retap.jvmphone.server;

import dev.retap.jvmphone.app.AppProcess;
import java.util.concurrent.locks.LockSupport;

/** The app's other threads: they run in real time, so the phone's time waits for them to have nothing to do. */
final class Background {
    private static final long LIMIT_NANOS = 300_000_000;
    private static final long LOOK_NANOS = 200_000;

    private Background() {}

    /** Returns when each of them waits for something, or when one has worked for too long. */
    static void settle() {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (AppProcess.isBusy() && System.nanoTime() < end) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
