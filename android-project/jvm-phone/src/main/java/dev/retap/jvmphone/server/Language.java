package dev.retap.jvmphone.server;

import android.app.LocaleManager;
import android.content.res.Configuration;
import android.content.res.Resources;
import android.os.LocaleList;
import android.util.DisplayMetrics;
import dev.retap.jvmphone.app.AppProcess;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/**
 * The app's own language: a change of the configuration, after which activities are made again as
 * after a rotation.
 */
final class Language {
  private static LocaleList chosen = LocaleList.getEmptyLocaleList();

  /** What an app has that has no language of its own. */
  private static LocaleList phones;

  private Language() {}

  static String tags() {
    return chosen.toLanguageTags();
  }

  /** To a framework that was set up anew: the first time it has the phone's language. */
  static void attach() {
    LocaleList now = Resources.getSystem().getConfiguration().getLocales();
    if (phones == null) {
      phones = now;
    }
    if (!now.equals(all())) {
      apply();
    }
  }

  /** None is the phone's. */
  static void set(String tags) {
    chosen = LocaleList.forLanguageTags(tags);
    if (AppProcess.runs()) {
      MainThread.post(
          () -> {
            apply();
            Server.stack().reconfigure();
          });
    } else {
      apply();
    }
  }

  private static void apply() {
    RuntimeEnvironment.getApplication()
        .getSystemService(LocaleManager.class)
        .setApplicationLocales(Server.packageName(), chosen);
    LocaleList all = all();
    Configuration configuration = new Configuration(Resources.getSystem().getConfiguration());
    configuration.setLocales(all);
    LocaleList.setDefault(all);
    ReflectionHelpers.callStaticMethod(
        RuntimeEnvironment.class,
        "updateConfiguration",
        ClassParameter.from(Configuration.class, configuration),
        ClassParameter.from(DisplayMetrics.class, Resources.getSystem().getDisplayMetrics()));
  }

  /**
   * What was chosen, then the phone's: where the app has no words in the one it has them in the
   * other.
   */
  private static LocaleList all() {
    Set<Locale> all = new LinkedHashSet<>();
    for (LocaleList list : new LocaleList[] {chosen, phones}) {
      for (int number = 0; number < list.size(); number++) {
        all.add(list.get(number));
      }
    }
    return new LocaleList(all.toArray(new Locale[0]));
  }
}
