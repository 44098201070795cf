package example;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** A program that does what its input says, line by line, and answers each line. */
public final class Subject {
  private static final AtomicLong SUM = new AtomicLong();

  private Subject() {}

  public static void main(String[] args) throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    System.out.println("ready");
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      run(line);
      System.out.println("done");
    }
  }

  private static void run(String line) throws Exception {
    switch (line) {
      case "nothing":
        break;
      case "once":
        Once.first();
        break;
      case "threads":
        Crowd.run();
        break;
      case "lambda":
        Lambdas.run();
        break;
      case "kinds":
        Kinds.run();
        break;
      case "thrown":
        Thrown.run();
        break;
      case "loaders":
        Loaders.run();
        break;
      case "hidden":
        Hidden.run();
        break;
      case "bare":
        Class.forName("bare.Bare").getMethod("run").invoke(null);
        break;
      case "large":
        Class.forName("large.All").getMethod("run").invoke(null);
        break;
      case "halt":
        Once.last();
        Runtime.getRuntime().halt(3);
        break;
      case "redefine":
        Class.forName("example.Redefine").getMethod("run").invoke(null);
        break;
      case "redefined":
        Changing.second();
        break;
      default:
        throw new IllegalArgumentException(line);
    }
  }

  static final class Once {
    static void first() {
      SUM.incrementAndGet();
    }

    static void last() {
      SUM.incrementAndGet();
    }
  }

  /** Sixteen threads call the same methods at the same time. */
  static final class Crowd {
    static void run() throws InterruptedException {
      CountDownLatch start = new CountDownLatch(1);
      Thread[] threads = new Thread[16];
      for (int i = 0; i < threads.length; i++) {
        threads[i] = new Worker(start);
        threads[i].start();
      }
      start.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
    }

    static void shared() {
      for (int i = 0; i < 10_000; i++) {
        one(i);
        two(i);
        three(i);
      }
    }

    private static void one(int i) {
      SUM.addAndGet(i);
    }

    private static void two(int i) {
      SUM.addAndGet(i);
    }

    private static void three(int i) {
      SUM.addAndGet(i);
    }
  }

  static final class Worker extends Thread {
    private final CountDownLatch start;

    Worker(CountDownLatch start) {
      this.start = start;
    }

    @Override
    public void run() {
      try {
        start.await();
      } catch (InterruptedException e) {
        return;
      }
      Crowd.shared();
    }
  }

  static final class Lambdas {
    static void run() {
      Supplier<String> supplier = () -> "x";
      Supplier<String> unused = () -> "y";
      SUM.addAndGet(supplier.get().length());
    }
  }

  abstract static class Kinds {
    static void run() {
      new Kinds() {
        @Override
        void inner() {
          SUM.incrementAndGet();
        }
      }.inner();
    }

    abstract void inner();

    native void outside();

    void unused() {
      SUM.incrementAndGet();
    }
  }

  static final class Thrown {
    static void run() {
      try {
        fail(null);
      } catch (NullPointerException expected) {
        SUM.incrementAndGet();
      }
    }

    private static int fail(String text) {
      return text.length();
    }
  }

  /** The same class in two loaders: its method runs in both. */
  static final class Loaders {
    static void run() throws Exception {
      for (int i = 0; i < 2; i++) {
        ClassLoader loader =
            new ClassLoader(Subject.class.getClassLoader()) {
              @Override
              protected Class<?> loadClass(String name, boolean resolve)
                  throws ClassNotFoundException {
                return name.equals("example.Subject$Twice")
                    ? define(name)
                    : super.loadClass(name, resolve);
              }

              private Class<?> define(String name) throws ClassNotFoundException {
                byte[] bytes = bytes("example/Subject$Twice");
                return defineClass(name, bytes, 0, bytes.length);
              }
            };
        loader.loadClass("example.Subject$Twice").getMethod("run").invoke(null);
      }
    }
  }

  public static final class Twice {
    public static void run() {
      System.getProperty("example");
    }
  }

  /** A class without a name of its own. */
  static final class Hidden {
    static void run() throws Exception {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      lookup
          .defineHiddenClass(bytes("example/Subject$Twice"), true)
          .lookupClass()
          .getMethod("run")
          .invoke(null);
    }
  }

  public static final class Changing {
    public static void first() {
      SUM.incrementAndGet();
    }

    public static void second() {
      SUM.incrementAndGet();
    }
  }

  static byte[] bytes(String name) {
    try (java.io.InputStream in =
        Subject.class.getClassLoader().getResourceAsStream(name + ".class")) {
      return in.readAllBytes();
    } catch (java.io.IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
