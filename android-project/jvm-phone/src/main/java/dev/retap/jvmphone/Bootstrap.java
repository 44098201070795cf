package dev.retap.jvmphone;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;

/**
 * Calls to the bootstrap by reflection: it is built separately, for phones, and is on the class
 * path unchanged.
 */
final class Bootstrap {
  private Bootstrap() {}

  static void main(String[] args) {
    try {
      Method main = Class.forName("dev.retap.agent.Main").getMethod("main", String[].class);
      main.invoke(null, (Object) args);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException("the bootstrap failed", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw missing(e);
    }
  }

  /** Registers the counter of the app's branches. Must be called before main. */
  static void count(String packageName, int total, Callable<int[]> ran) {
    try {
      Method count =
          Class.forName("dev.retap.agent.Coverage")
              .getMethod("count", String.class, int.class, Callable.class);
      count.invoke(null, packageName, total, ran);
    } catch (ReflectiveOperationException e) {
      throw missing(e);
    }
  }

  private static IllegalStateException missing(ReflectiveOperationException e) {
    return new IllegalStateException("the bootstrap's classes are not on the class path", e);
  }
}
