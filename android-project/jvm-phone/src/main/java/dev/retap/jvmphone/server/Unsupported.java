package dev.retap.jvmphone.server;

/** Error for a feature that this phone lacks: not a failure of the app. */
public final class Unsupported extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String what;

  public Unsupported(String what, Throwable cause) {
    super("do that: not supported by the JVM phone: " + what, cause);
    this.what = what;
  }

  /** Name of the missing feature. */
  public String what() {
    return what;
  }

  /** Framework exception with this message, which the agent knows from other phones too. */
  RuntimeException toCaller() {
    return new UnsupportedOperationException(getMessage());
  }
}
