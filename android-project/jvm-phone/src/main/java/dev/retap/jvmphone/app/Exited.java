package dev.retap.jvmphone.app;

/** Thrown in place of System.exit, so that only the app's process ends. */
final class Exited extends Error {
  private static final long serialVersionUID = 1;

  Exited(int status) {
    super("the app ended its process with " + status, null, false, false);
  }
}
