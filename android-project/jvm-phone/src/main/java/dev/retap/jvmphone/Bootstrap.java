package dev.retap.jvmphone;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;

/**
 * The bootstrap, by name: it is built for phones, on its own, and is on the class path as it is.
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

  /** Tells it how to learn which of the app's branches ran. Before its main. */
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
