package dev.retap.agent;

import android.app.IActivityController;
import android.app.UiAutomation;
import android.content.Context;
import android.content.pm.IPackageDataObserver;

/** What the Rust library exports: agent/src/entry.rs. */
final class Native {
  private Native() {}

  static native String version();

  /**
   * Starts the process anew as the user that the host names, if it is root's. Before any other
   * thread is made.
   */
  static native void leaveRoot(String[] args);

  /** Serves until the process ends. Throws what went wrong. */
  static native void run(
      String[] args,
      Context context,
      IActivityController controller,
      UiAutomation.OnAccessibilityEventListener events,
      IPackageDataObserver cleared);

  /** Every Java name that the agent uses, with the form that this phone has, a line each. */
  static native String list();

  static native void event(long uptimeMillis);

  static native void crashed(
      long uptimeMillis, String process, String shortMessage, String longMessage, String stack);

  static native void notResponding(long uptimeMillis, String process, String statistics);

  static native void cleared(String packageName, boolean succeeded);
}
