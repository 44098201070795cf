package android.app;

import dev.retap.agent.FakePhone;

public final class ActivityThread {
  public static ActivityThread systemMain() {
    FakePhone.boot();
    return new ActivityThread();
  }

  public ContextImpl getSystemContext() {
    return new ContextImpl();
  }
}
