package dev.retap.jvmphone.app;

import dev.retap.jvmphone.server.Unsupported;

/** Tells what only this phone lacks from what the app did wrong. */
public final class Missing {
    private Missing() {}

    /** What is missing, or null if the failure is the app's. */
    public static String in(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            String missing = at(cause);
            if (missing != null) {
                return missing;
            }
        }
        return null;
    }

    private static String at(Throwable cause) {
        if (cause instanceof Unsupported unsupported) {
            return unsupported.what();
        }
        StackTraceElement[] stack = cause.getStackTrace();
        boolean inRobolectric = stack.length > 0 && stack[0].getClassName().startsWith("org.robolectric.");
        if (cause instanceof UnsatisfiedLinkError) {
            return "native code, " + cause.getMessage();
        }
        if (cause instanceof NoClassDefFoundError && isFramework(cause.getMessage())) {
            return "the class " + cause.getMessage().replace('/', '.');
        }
        if (cause.getClass() == IncompatibleClassChangeError.class || cause instanceof VerifyError) {
            return "a class that could not be translated, " + cause.getMessage();
        }
        if (stack.length > 0 && stack[0].getClassName().startsWith("android.widget.Magnifier")) {
            return "the magnifier, which copies pixels of a surface";
        }
        boolean isLookUp = cause instanceof android.content.res.Resources.NotFoundException
                || cause instanceof ClassNotFoundException;
        if (inRobolectric && !isLookUp) {
            return cause + " at " + stack[0];
        }
        return null;
    }

    private static boolean isFramework(String name) {
        return name != null && (name.startsWith("org/apache/http/") || name.startsWith("android/")
                || name.startsWith("com/android/") || name.startsWith("com/google/android/"));
    }
}
