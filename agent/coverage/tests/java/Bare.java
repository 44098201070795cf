package bare;

/** Compiled without line tables. */
public final class Bare {
  private Bare() {}

  public static void run() {
    used();
  }

  static void used() {}

  static void unused() {}
}
