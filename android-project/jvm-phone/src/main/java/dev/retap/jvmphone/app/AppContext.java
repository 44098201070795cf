package dev.retap.jvmphone.app;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.app.ActivityThread;
import android.app.Application;
import android.app.LoadedApk;
import android.content.Context;
import android.content.pm.ApplicationInfo;
import dev.retap.jvmphone.Phone;
import java.util.Map;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowActivityThread.ActivityThreadReflector;
import org.robolectric.shadows.ShadowApplication;
import org.robolectric.shadows.ShadowContextImpl.ContextImplReflector;
import org.robolectric.shadows.ShadowLoadedApk.LoadedApkReflector;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/** Creates the app's Application in place of the default one that the framework was set up with. */
final class AppContext {
  private AppContext() {}

  static void create(ClassLoader loader) {
    forgetClasses();
    Thread.currentThread().setContextClassLoader(loader);
    ActivityThread thread = (ActivityThread) RuntimeEnvironment.getActivityThread();
    ApplicationInfo info = RuntimeEnvironment.getApplication().getApplicationInfo();
    LoadedApk apk = thread.getPackageInfo(info, null, Context.CONTEXT_INCLUDE_CODE);
    // The LoadedApk was created before the phone set the app's data directory.
    ReflectionHelpers.callInstanceMethod(
        LoadedApk.class,
        apk,
        "setApplicationInfo",
        ClassParameter.from(ApplicationInfo.class, info));
    Context context = reflector(ContextImplReflector.class).createAppContext(thread, apk);
    Application application = instantiate();
    RuntimeEnvironment.application = application;
    reflector(ActivityThreadReflector.class, thread).setInitialApplication(application);
    ShadowApplication shadow = Shadow.extract(application);
    shadow.callAttach(context);
    reflector(ContextImplReflector.class, context).setOuterContext(application);
    reflector(ContextImplReflector.class, context).setClassLoader(loader);
    LoadedApkReflector loaded = reflector(LoadedApkReflector.class, apk);
    loaded.setResources(application.getResources());
    loaded.setApplication(application);
    Providers.install(application, loader);
    thread.getInstrumentation().callApplicationOnCreate(application);
  }

  private static Application instantiate() {
    String name = Phone.about().getProperty("application", "");
    return name.isEmpty() ? new Application() : AppProcess.instantiate(Application.class, name);
  }

  /** Clears the framework's class caches: classes of an earlier process must not be reused. */
  private static void forgetClasses() {
    forget("android.app.Fragment", "sClassMap");
    forget("android.view.LayoutInflater", "sConstructorMap");
    forget("android.preference.GenericInflater", "sConstructorMap");
  }

  private static void forget(String className, String field) {
    try {
      Map<?, ?> kept = ReflectionHelpers.getStaticField(Class.forName(className), field);
      kept.clear();
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }
}
