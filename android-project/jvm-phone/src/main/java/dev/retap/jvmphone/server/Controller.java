package dev.retap.jvmphone.server;

import android.app.IActivityController;
import android.os.RemoteException;
import dev.retap.jvmphone.app.Stacks;

/**
 * Reports crashes and ANRs to the controller that the agent has registered, as the activity manager
 * does.
 */
public final class Controller {
  private volatile IActivityController registered;
  private volatile int failures;

  void register(IActivityController controller) {
    registered = controller;
  }

  /** Reports an uncaught exception, as the runtime does. */
  public void crashed(Throwable error) {
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String name = root.getClass().getName();
    String message = root.getMessage() == null ? name : name + ": " + root.getMessage();
    String stack = Stacks.text(error);
    System.err.println("FATAL EXCEPTION: " + stack);
    AppLog.crashed(stack);
    report(
        controller ->
            controller.appCrashed(Server.packageName(), Server.PID, name, message, 0, stack));
  }

  public void notResponding(String stack) {
    AppLog.notResponding();
    report(controller -> controller.appNotResponding(Server.packageName(), Server.PID, stack));
  }

  private interface Report {
    void sendTo(IActivityController controller) throws RemoteException;
  }

  /** Number of crashes and ANRs so far. */
  public int failures() {
    return failures;
  }

  private synchronized void report(Report report) {
    failures++;
    IActivityController controller = registered;
    if (controller == null) {
      return;
    }
    try {
      report.sendTo(controller);
    } catch (RemoteException e) {
      throw new IllegalStateException(e);
    }
  }
}
