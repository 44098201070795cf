package example;

public class Two {
  public static int value() {
    return 2;
  }
}
