package dev.retap.jvmphone.app;

/**
 * The app has asked for its process to end: thrown where System.exit stood, so that only the app
 * ends.
 */
final class Exited extends Error {
  private static final long serialVersionUID = 1;

  Exited(int status) {
    super("the app ended its process with " + status, null, false, false);
  }
}
