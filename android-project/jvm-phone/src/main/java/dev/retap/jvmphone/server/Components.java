package dev.retap.jvmphone.server;

import android.app.Activity;
import android.content.ComponentCallbacks2;
import android.content.res.Configuration;
import android.content.res.Resources;
import dev.retap.jvmphone.app.AppProcess;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.RuntimeEnvironment;

/**
 * Components of the app that get memory and configuration callbacks, in the order of the
 * framework's ActivityThread.
 */
final class Components {
  private Components() {}

  /**
   * Calls onTrimMemory at the critical level, then onLowMemory, which the framework documents as
   * its successor.
   */
  static void trimMemory() {
    MainThread.post(
        () ->
            all()
                .forEach(
                    component ->
                        component.onTrimMemory(ComponentCallbacks2.TRIM_MEMORY_RUNNING_CRITICAL)));
    MainThread.post(() -> all().forEach(ComponentCallbacks2::onLowMemory));
  }

  /**
   * Notifies all components but activities of a new configuration. Activities are notified or
   * relaunched one by one.
   */
  static void reconfigured() {
    if (!AppProcess.runs()) {
      return;
    }
    Configuration now = Resources.getSystem().getConfiguration();
    for (ComponentCallbacks2 component : all()) {
      if (!(component instanceof Activity)) {
        component.onConfigurationChanged(new Configuration(now));
      }
    }
  }

  /** Components of the running process; empty if none runs. */
  private static List<ComponentCallbacks2> all() {
    List<ComponentCallbacks2> all = new ArrayList<>();
    if (AppProcess.runs()) {
      all.add(RuntimeEnvironment.getApplication());
      Server.stack().records().stream()
          .filter(Record::isAlive)
          .forEach(record -> all.add(record.activity()));
      all.addAll(Services.running());
    }
    return all;
  }
}
