package dev.retap.jvmphone.app;

import dev.retap.jvmphone.server.MainThread;
import dev.retap.jvmphone.server.Server;

/** The threads that the app has started: known by their group, which they inherit from the main thread. */
final class AppThreads {
    private AppThreads() {}

    /** As the runtime does before the app's first line: what nobody catches is the system's business. */
    static void begin() {
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
            Server.controller().crashed(error);
            if (!MainThread.isCurrent()) {
                AppProcess.doom();
            }
        });
    }

    static Thread.UncaughtExceptionHandler handler() {
        return Thread.getDefaultUncaughtExceptionHandler();
    }

    static void end() {
        for (Thread thread : all()) {
            if (thread != null && owns(thread)) {
                thread.interrupt();
            }
        }
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {});
    }

    static boolean owns(Thread thread) {
        return AppProcess.runs() && thread != MainThread.current() && thread.getContextClassLoader() == AppProcess.loader();
    }

    static boolean isBusy() {
        for (Thread thread : all()) {
            if (thread != null && owns(thread) && thread.getState() == Thread.State.RUNNABLE) {
                return true;
            }
        }
        return false;
    }

    private static Thread[] all() {
        ThreadGroup group = MainThread.current().getThreadGroup();
        Thread[] threads = new Thread[group.activeCount() + 16];
        group.enumerate(threads);
        return threads;
    }
}
