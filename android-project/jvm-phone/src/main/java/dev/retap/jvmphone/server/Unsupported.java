package dev.retap.jvmphone.server;

/** What a phone could do and this one cannot: no failure of the app. */
public final class Unsupported extends UnsupportedOperationException {
    private static final long serialVersionUID = 1;

    public Unsupported(String what, Throwable cause) {
        super("not supported by the JVM phone: " + what, cause);
    }
}
