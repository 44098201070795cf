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
 * Who in the app's process hears of memory and configurations, in the order that the framework's
 * ActivityThread keeps.
 */
final class Components {
  private Components() {}

  /** The framework's own word on this level is that the next thing to come is onLowMemory. */
  static void shortenMemory() {
    MainThread.post(
        () ->
            all()
                .forEach(
                    told -> told.onTrimMemory(ComponentCallbacks2.TRIM_MEMORY_RUNNING_CRITICAL)));
    MainThread.post(() -> all().forEach(ComponentCallbacks2::onLowMemory));
  }

  /** Activities are told, or made again, one by one. */
  static void reconfigured() {
    if (!AppProcess.runs()) {
      return;
    }
    Configuration now = Resources.getSystem().getConfiguration();
    for (ComponentCallbacks2 told : all()) {
      if (!(told instanceof Activity)) {
        told.onConfigurationChanged(new Configuration(now));
      }
    }
  }

  /** None of a process that is gone. */
  private static List<ComponentCallbacks2> all() {
    List<ComponentCallbacks2> all = new ArrayList<>();
    if (AppProcess.runs()) {
      all.add(RuntimeEnvironment.getApplication());
      Server.stack().records().stream()
          .filter(Record::isThere)
          .forEach(record -> all.add(record.activity()));
      all.addAll(Services.running());
    }
    return all;
  }
}
