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
 * Static state of an ended process that Robolectric does not reset. It would keep the class loader
 * and all views alive.
 */
final class Leftovers {
  /** Classes that cache the methods of every animated class. */
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
    // Each refers to a context or a thread of the ended process.
    ReflectionHelpers.setStaticField(ConnectivityManager.class, "sInstance", null);
    ReflectionHelpers.setStaticField(
        named("android.window.WindowTokenClientController"), "sController", null);
    ReflectionHelpers.setStaticField(
        ShadowDevicePolicyManager.class, "applicationPackageManager", null);
    ReflectionHelpers.setStaticField(
        ShadowGestureDetector.class, "lastActiveGestureDetector", null);
  }

  /**
   * Closes databases, as a kernel closes a process's files. The main thread has a session with each
   * that it used, and survives the process.
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
   * Removes collected arrays. Robolectric numbers the array of every style lookup and never
   * releases the number.
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
