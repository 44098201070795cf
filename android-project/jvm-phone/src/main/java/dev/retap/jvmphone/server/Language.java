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
 * Language of the app: a change of the configuration, which relaunches activities as a rotation
 * does.
 */
final class Language {
  private static LocaleList chosen = LocaleList.getEmptyLocaleList();

  /** Languages of the phone, for apps without their own. */
  private static LocaleList phones;

  private Language() {}

  static String tags() {
    return chosen.toLanguageTags();
  }

  /** Connects to a new framework. The first one has the phone's languages. */
  static void attach() {
    LocaleList now = Resources.getSystem().getConfiguration().getLocales();
    if (phones == null) {
      phones = now;
    }
    if (!now.equals(all())) {
      apply();
    }
  }

  /** Sets the app's languages; empty for the phone's. */
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

  /** Chosen languages, then the phone's, for texts that are not translated. */
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
