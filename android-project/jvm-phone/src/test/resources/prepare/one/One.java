package example;

public class One {
  public static int value() {
    return 1;
  }

  public static void fail() {
    throw new IllegalStateException("on purpose");
  }
}
