package dev.retap.jvmphone.server;

import android.app.IActivityController;
import android.os.RemoteException;
import dev.retap.jvmphone.app.Stacks;

/**
 * Who hears of crashes and ANRs: whom the agent has registered, as with a real activity manager.
 */
public final class Controller {
  private volatile IActivityController registered;
  private volatile int told;

  void register(IActivityController controller) {
    registered = controller;
  }

  /** As the runtime tells the system of an exception that nobody caught. */
  public void crashed(Throwable error) {
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String name = root.getClass().getName();
    String message = root.getMessage() == null ? name : name + ": " + root.getMessage();
    String stack = Stacks.text(error);
    System.err.println("FATAL EXCEPTION: " + stack);
    tell(
        controller ->
            controller.appCrashed(Server.packageName(), Server.PID, name, message, 0, stack));
  }

  public void notResponding(String stack) {
    tell(controller -> controller.appNotResponding(Server.packageName(), Server.PID, stack));
  }

  private interface News {
    void to(IActivityController controller) throws RemoteException;
  }

  /** How many crashes and ANRs there were. */
  public int told() {
    return told;
  }

  private synchronized void tell(News news) {
    told++;
    IActivityController controller = registered;
    if (controller == null) {
      return;
    }
    try {
      news.to(controller);
    } catch (RemoteException e) {
      throw new IllegalStateException(e);
    }
  }
}
