package example;

public class One {
  public static int value() {
    return 2;
  }
}
