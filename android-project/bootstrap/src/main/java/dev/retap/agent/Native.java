package dev.retap.agent;

import android.app.IActivityController;
import android.app.UiAutomation;
import android.content.Context;
import android.content.pm.IPackageDataObserver;

/** Functions that the Rust library exports: agent/src/entry.rs. */
final class Native {
  private Native() {}

  static native String version();

  /**
   * Restarts a root process as the user that the host names. Must run before any other thread is
   * created.
   */
  static native void leaveRoot(String[] args);

  /** Serves until the process ends. Throws the agent's error. */
  static native void run(
      String[] args,
      Context context,
      IActivityController controller,
      UiAutomation.OnAccessibilityEventListener events,
      IPackageDataObserver cleared);

  /** Java names that the agent uses, one per line, each with the signature that this phone has. */
  static native String list();

  static native void event(long uptimeMillis);

  static native void crashed(
      long uptimeMillis, String process, String shortMessage, String longMessage, String stack);

  static native void notResponding(long uptimeMillis, String process, String statistics);

  static native void cleared(String packageName, boolean succeeded);
}
