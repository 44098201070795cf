package dev.retap.jvmphone;

import android.animation.PropertyValuesHolder;
import android.database.sqlite.SQLiteDatabase;
import android.net.ConnectivityManager;
import dalvik.system.VMRuntime;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Map;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowDevicePolicyManager;
import org.robolectric.shadows.ShadowGestureDetector;
import org.robolectric.util.ReflectionHelpers;

/**
 * What stays of an ended process where Robolectric resets nothing: each would hold its class
 * loader, and all it has shown.
 */
final class Leftovers {
  /** Each keeps the methods of every class that was ever animated. */
  private static final List<String> ANIMATED =
      List.of(
          "FloatPropertyValuesHolder",
          "IntPropertyValuesHolder",
          "MultiFloatValuesHolder",
          "MultiIntValuesHolder");

  private Leftovers() {}

  static void forget() {
    closeDatabases();
    forgetAnimated();
    forgetArrays();
    // Each was made for a context of the process, or its thread.
    ReflectionHelpers.setStaticField(ConnectivityManager.class, "sInstance", null);
    ReflectionHelpers.setStaticField(
        named("android.window.WindowTokenClientController"), "sController", null);
    ReflectionHelpers.setStaticField(
        ShadowDevicePolicyManager.class, "applicationPackageManager", null);
    ReflectionHelpers.setStaticField(
        ShadowGestureDetector.class, "lastActiveGestureDetector", null);
  }

  /**
   * As a kernel does with a process's files. The main thread has a session with each that it used,
   * and does not end here.
   */
  private static void closeDatabases() {
    List<SQLiteDatabase> open =
        ReflectionHelpers.callStaticMethod(SQLiteDatabase.class, "getActiveDatabases");
    open.forEach(SQLiteDatabase::close);
  }

  private static void forgetAnimated() {
    clear(PropertyValuesHolder.class, "sSetterPropertyMap");
    clear(PropertyValuesHolder.class, "sGetterPropertyMap");
    for (String kind : ANIMATED) {
      clear(named(PropertyValuesHolder.class.getName() + "$" + kind), "sJNISetterPropertyMap");
    }
  }

  /**
   * Robolectric numbers the array of every style that is looked up, and never takes the number
   * back.
   */
  private static void forgetArrays() {
    Map<Long, Reference<?>> numbered =
        ReflectionHelpers.getField(
            Shadow.extract(VMRuntime.getRuntime()), "nonMovableArraysReverse");
    numbered.values().removeIf(array -> array.get() == null);
  }

  private static void clear(Class<?> owner, String map) {
    Map<?, ?> kept = ReflectionHelpers.getStaticField(owner, map);
    // As their owners do: threads of the app may still animate.
    synchronized (kept) {
      kept.clear();
    }
  }

  private static Class<?> named(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }
}
