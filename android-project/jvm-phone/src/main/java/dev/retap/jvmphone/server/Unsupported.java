package dev.retap.jvmphone.server;

/** What a phone could do and this one cannot: no failure of the app. */
public final class Unsupported extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String what;

  public Unsupported(String what, Throwable cause) {
    super("do that: not supported by the JVM phone: " + what, cause);
    this.what = what;
  }

  /** What is missing. */
  public String what() {
    return what;
  }

  /** The framework's own word for it, which the agent knows from other phones too. */
  RuntimeException toCaller() {
    return new UnsupportedOperationException(getMessage());
  }
}
