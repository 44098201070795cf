package dev.retap.agent;

import android.os.Bundle;
import android.view.KeyEvent;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;

/**
 * Tests of the JNI code on the real framework's classes, in OpenJDK: run by
 * scripts/test-agent-on-jvm.
 */
public final class SelfTest {
  static native String readTree(AccessibilityNodeInfo root, int level);

  static native Object motion(long down, long now, int action, int[] xs, int[] ys);

  static native Object key(long down, long now, int action, int code);

  static native Object bundle(String text);

  static native String readWindow(AccessibilityWindowInfo window, int level);

  private static String library;
  private static int passed;
  private static int failed;

  public static void main(String[] args) {
    Main.load(args[0], Main.VERSION);
    library = args[0];
    run("every name has a form here, by the table's newest first", SelfTest::names);
    run("a tree comes out node by node", SelfTest::tree);
    run("texts with half a surrogate pair, with NULs and with none are read", SelfTest::texts);
    run("a tree of 5,000 nodes and more is cut off", SelfTest::huge);
    run("a tree that contains itself ends", SelfTest::cycle);
    run("a tree deeper than the reference table ends", SelfTest::deep);
    run("children that are gone are left out", SelfTest::gone);
    run("an exception of any call is an error with its message", SelfTest::exceptions);
    run("null and objects of another class are errors", SelfTest::nothing);
    run("below level 33 each node is recycled once", SelfTest::recycled);
    run("a window without a root has no nodes", SelfTest::rootless);
    run("a library of another version is refused", SelfTest::version);
    run("a level below 23 is refused", SelfTest::level);
    run("a key event has what it was made of", SelfTest::keys);
    run("a finger event reaches the framework with both fingers", SelfTest::fingers);
    run("text for a field travels in a bundle", SelfTest::bundles);
    run("crashes with null where Android says never null are taken", SelfTest::nulls);
    System.out.println(passed + " passed, " + failed + " failed");
    System.exit(failed == 0 ? 0 : 1);
  }

  private static void names() {
    for (String line : Native.list().split("\n")) {
      // No name has been removed in any level so far; one missing here would be missing on phones
      // of this level.
      check(!line.endsWith(" missing"), line);
    }
    check(
        Native.list().contains("getChild (II)L"),
        "the newest form of getChild is not the one in use");
  }

  private static void tree() {
    TestNode root = new TestNode("android.widget.FrameLayout", "");
    TestNode child = new TestNode("android.widget.Button", "Säve");
    child.setClickable(true);
    child.setContentDescription("saves it");
    child.setViewIdResourceName("com.example:id/save");
    child.setBoundsInScreen(new android.graphics.Rect(1, 2, 30, 40));
    root.add(child);
    String[] lines = readTree(root, 34).split("\n");
    check(lines.length == 2, "nodes: " + lines.length);
    check(
        lines[1].startsWith(
            "1 \"android.widget.Button\" \"com.example:id/save\" \"Säve\" \"saves it\" 1,2,30,40 "),
        lines[1]);
    check(lines[1].contains("CLICKABLE") && !lines[1].contains("CHECKED"), lines[1]);
  }

  private static void texts() {
    String[] texts = {"\ud800", "a\udc00b\ud83d\ude00\u00e4", "x\0y", "\ud83d\ude00", ""};
    String[] read = {"\ufffd", "a\ufffdb\ud83d\ude00\u00e4", "x\\0y", "\ud83d\ude00", ""};
    for (int i = 0; i < texts.length; i++) {
      String line = readTree(new TestNode("c", texts[i]), 34);
      String got = line.split("\"")[5];
      check(got.equals(read[i]), i + ": " + got);
    }
    check(readTree(new TestNode(null, null), 34).startsWith("0 \"\" \"\" \"\" \"\""), "null texts");
  }

  private static void huge() {
    TestNode root = new TestNode("c", "root");
    for (int i = 0; i < 80; i++) {
      TestNode row = new TestNode("c", "row");
      for (int j = 0; j < 80; j++) {
        row.add(new TestNode("c", "cell"));
      }
      root.add(row);
    }
    check(readTree(root, 34).split("\n").length == 5000, "not cut off at 5,000");
  }

  private static void cycle() {
    TestNode root = new TestNode("c", "root");
    TestNode child = new TestNode("c", "child");
    root.add(child);
    child.add(root);
    check(readTree(root, 34).split("\n").length == 2, "the circle was not seen");
  }

  private static void deep() {
    TestNode root = new TestNode("c", "0");
    TestNode last = root;
    for (int i = 1; i < 2000; i++) {
      TestNode next = new TestNode("c", "" + i);
      last.add(next);
      last = next;
    }
    check(
        readTree(root, 34).split("\n").length == 151,
        "nodes: " + readTree(root, 34).split("\n").length);
  }

  private static void gone() {
    TestNode root = new TestNode("c", "root");
    root.add(null);
    root.add(new TestNode("c", "there"));
    check(readTree(root, 34).split("\n").length == 2, "a null child");
  }

  private static void exceptions() {
    int calls = 0;
    for (int call = 1; ; call++) {
      TestNode root = new TestNode("c", "root");
      root.add(new TestNode("c", "child"));
      TestNode.throwAt(call);
      try {
        readTree(root, 34);
        break;
      } catch (RuntimeException e) {
        check(String.valueOf(e.getMessage()).contains("thrown at call " + call), "" + e);
        calls = call;
      } finally {
        TestNode.throwAt(0);
      }
    }
    check(calls >= 30, "only " + calls + " calls were made to throw");
  }

  private static void nothing() {
    try {
      readTree(null, 34);
      check(false, "null was read");
    } catch (RuntimeException e) {
      check(String.valueOf(e.getMessage()).contains("called on null"), "" + e);
    }
  }

  private static void recycled() {
    TestNode root = new TestNode("c", "root");
    for (int i = 0; i < 500; i++) {
      root.add(new TestNode("c", "child"));
    }
    TestNode.recycled = 0;
    readTree(root, 28);
    check(TestNode.recycled == 500, "recycled: " + TestNode.recycled);
    readTree(root, 33);
    check(TestNode.recycled == 500, "recycled at 33 as well");
  }

  private static void rootless() {
    AccessibilityWindowInfo window = AccessibilityWindowInfo.obtain();
    window.setType(AccessibilityWindowInfo.TYPE_INPUT_METHOD);
    window.setLayer(7);
    window.setTitle("keys");
    window.setFocused(true);
    String read = readWindow(window, 34);
    check(read.equals("7 Keyboard \"keys\" WindowFlags(FOCUSED) 0"), read);
  }

  private static void version() {
    try {
      Main.load(library, "0.0.0");
      check(false, "it was taken");
    } catch (IllegalStateException e) {
      check(e.getMessage().contains("push both of one build"), "" + e);
    }
  }

  /** Without system properties the framework reports level 0. */
  private static void level() {
    try {
      Native.run(new String[] {"--name", "retap"}, null, null, null, null);
      check(false, "it was served");
    } catch (RuntimeException e) {
      check(String.valueOf(e.getMessage()).contains("API level 0, and 23 is the oldest"), "" + e);
    }
  }

  private static void keys() {
    KeyEvent event = (KeyEvent) key(7, 9, KeyEvent.ACTION_UP, KeyEvent.KEYCODE_BACK);
    check(event.getDownTime() == 7 && event.getEventTime() == 9, "times");
    check(
        event.getKeyCode() == KeyEvent.KEYCODE_BACK && event.getAction() == KeyEvent.ACTION_UP,
        "code");
    check(event.getSource() == android.view.InputDevice.SOURCE_KEYBOARD, "source");
  }

  /**
   * MotionEvent is native. The test can only check that the call reaches native code and returns an
   * error.
   */
  private static void fingers() {
    try {
      motion(1, 2, 5 | 1 << 8, new int[] {10, 20}, new int[] {30, 40});
      check(false, "OpenJDK has no native MotionEvent");
    } catch (RuntimeException e) {
      check(String.valueOf(e.getMessage()).contains("MotionEvent.obtain"), "" + e);
      check(String.valueOf(e.getMessage()).contains("nativeInitialize"), "" + e);
    }
  }

  private static void bundles() {
    Bundle bundle = (Bundle) bundle("na\0me \ud83d\ude00");
    String key = AccessibilityNodeInfo.ACTION_ARGUMENT_SET_TEXT_CHARSEQUENCE;
    check(
        "na\0me \ud83d\ude00".contentEquals(bundle.getCharSequence(key)),
        "" + bundle.getCharSequence(key));
  }

  private static void nulls() {
    Native.crashed(1, null, null, null, null);
    Native.notResponding(1, null, null);
    Native.cleared(null, false);
    Native.event(Long.MIN_VALUE);
    try {
      Native.run(new String[] {"--nmae", "x"}, null, null, null, null);
      check(false, "a wrong option was taken");
    } catch (RuntimeException e) {
      check(String.valueOf(e.getMessage()).contains("`--nmae` is not an option"), "" + e);
    }
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  private static void run(String name, Runnable test) {
    try {
      test.run();
      passed++;
      System.out.println("ok      " + name);
    } catch (Throwable e) {
      failed++;
      System.out.println("FAILED  " + name + ": " + e);
    }
  }
}
