package android.app;

import android.content.res.Configuration;
import dev.retap.agent.FakePhone;

/** Interface, as in the real framework; the lookup of its methods is the same as for a class. */
public interface IActivityManager {
  default void setActivityController(IActivityController controller, boolean isMonkey) {
    FakePhone.controller = controller;
  }

  default Configuration getConfiguration() {
    return new Configuration();
  }
}
