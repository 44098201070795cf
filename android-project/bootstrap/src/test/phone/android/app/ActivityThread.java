package android.app;

import dev.retap.agent.Cardboard;

public final class ActivityThread {
  public static ActivityThread systemMain() {
    Cardboard.boot();
    return new ActivityThread();
  }

  public ContextImpl getSystemContext() {
    return new ContextImpl();
  }
}
