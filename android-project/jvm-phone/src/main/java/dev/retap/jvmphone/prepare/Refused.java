package dev.retap.jvmphone.prepare;

/** Reason why an APK cannot be prepared, as a message for the user. */
final class Refused extends Exception {
  private static final long serialVersionUID = 1L;

  /** Message: what failed on what, why, and what to do. */
  Refused(String failed, String why, String remedy) {
    super(failed + ": " + why + "; " + remedy);
  }

  Refused(String failed, Throwable why, String remedy) {
    this(failed, reason(why), remedy);
    initCause(why);
  }

  /** Class and message of an exception: some messages are only a name. */
  private static String reason(Throwable why) {
    String name = why.getClass().getSimpleName();
    return why.getMessage() == null
        ? name
        : name + " (" + why.getMessage().replace('\n', ' ') + ")";
  }
}
