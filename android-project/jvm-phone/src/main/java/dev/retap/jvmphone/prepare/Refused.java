package dev.retap.jvmphone.prepare;

/** Why an APK cannot be prepared, in words for the person who named it. */
final class Refused extends Exception {
  private static final long serialVersionUID = 1L;

  /** What failed on what, why, and what to do. */
  Refused(String failed, String why, String remedy) {
    super(failed + ": " + why + "; " + remedy);
  }

  Refused(String failed, Throwable why, String remedy) {
    this(failed, reason(why), remedy);
    initCause(why);
  }

  /** Exceptions of the system often carry only a name as their message. */
  private static String reason(Throwable why) {
    String name = why.getClass().getSimpleName();
    return why.getMessage() == null
        ? name
        : name + " (" + why.getMessage().replace('\n', ' ') + ")";
  }
}
