package dev.retap.agent;

/**
 * Smoke test of a phone's library under an emulated processor: it loads, its exports respond, its
 * errors are reported.
 */
public final class Loads {
  public static void main(String[] args) {
    Main.load(args[0], Main.VERSION);
    check(Native.list().split("\n").length > 100, "the table is not listed");
    Native.crashed(1, "com.app", "java.lang.Error", null, "at x");
    Native.cleared("com.app", true);
    String refused = "nothing";
    try {
      Native.run(new String[] {"--user", "me"}, null, null, null, null);
    } catch (RuntimeException e) {
      refused = String.valueOf(e.getMessage());
    }
    check(refused.contains("`--user` is not an option"), refused);
    System.out.println("1 passed, 0 failed");
    System.exit(0);
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
