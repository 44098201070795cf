package android.app;

import android.content.res.Configuration;
import dev.retap.agent.Cardboard;

/** A class would be looked up the same way, but the real one is an interface too. */
public interface IActivityManager {
  default void setActivityController(IActivityController controller, boolean isMonkey) {
    Cardboard.controller = controller;
  }

  default Configuration getConfiguration() {
    return new Configuration();
  }
}
