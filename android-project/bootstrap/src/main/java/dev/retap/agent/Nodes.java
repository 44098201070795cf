package dev.retap.agent;

import android.graphics.Rect;
import android.view.accessibility.AccessibilityNodeInfo;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Reads a window's tree in one call: each JNI call costs as much as the value it reads, and a node
 * needs twenty. All texts are returned as one array for the same reason. Trees come from apps: they
 * may be huge, deep, cyclic or incomplete.
 */
final class Nodes {
  /**
   * Ints per node: depth, flags, bounds (4), and the indexes of class, id, text and description.
   */
  private static final int NUMBERS = 10;

  /**
   * A fetch that takes longer has timed out: the system waits for 5 s for an app that is blocked.
   */
  private static final long TIMEOUT_NANOS = 4_500_000_000L;

  private final int mostNodes;
  private final int mostDepth;
  private final int prefetch;
  private final boolean recycles;
  private final Set<Long> seen = new HashSet<>();
  private final Rect bounds = new Rect();

  /** Index of the window's package, then the nodes. */
  private int[] numbers = new int[1 + 64 * NUMBERS];

  private int count;

  /** Set when a fetch has timed out. Each further fetch would take as long. */
  private boolean blocked;

  /** Index of each distinct text, from 1 on. Rows of a list often share class and id. */
  private final Map<String, Integer> texts = new HashMap<>();

  /** Characters of all texts, concatenated; {@link #ends} has the end of each. */
  private final StringBuilder characters = new StringBuilder();

  private int[] ends = new int[64];

  private Nodes(int mostNodes, int mostDepth, int prefetch, boolean recycles) {
    this.mostNodes = mostNodes;
    this.mostDepth = mostDepth;
    this.prefetch = prefetch;
    this.recycles = recycles;
  }

  /**
   * Returns the ints (package, nodes), the ends of the texts, and their characters;
   * agent/src/android/nodes.rs decodes them. With {@code prefetch} 0, children are fetched as
   * before level 33. With {@code recycles}, nodes are returned to their pool.
   */
  static Object[] read(
      AccessibilityNodeInfo root, int mostNodes, int mostDepth, int prefetch, boolean recycles) {
    Nodes nodes = new Nodes(mostNodes, mostDepth, prefetch, recycles);
    nodes.numbers[0] = nodes.number(root.getPackageName());
    nodes.read(root, 0);
    char[] characters = new char[nodes.characters.length()];
    nodes.characters.getChars(0, characters.length, characters, 0);
    return new Object[] {
      Arrays.copyOf(nodes.numbers, 1 + nodes.count * NUMBERS),
      Arrays.copyOf(nodes.ends, nodes.texts.size()),
      characters
    };
  }

  private void read(AccessibilityNodeInfo node, int depth) {
    if (count >= mostNodes || !seen.add(node.getSourceNodeId())) {
      return;
    }
    add(node, depth);
    int children = depth < mostDepth ? node.getChildCount() : 0;
    for (int number = 0; number < children && count < mostNodes && !blocked; number++) {
      long asked = System.nanoTime();
      AccessibilityNodeInfo child =
          prefetch == 0 ? node.getChild(number) : node.getChild(number, prefetch);
      // Null if the child has disappeared meanwhile, or if the app did not answer.
      if (child == null) {
        blocked = System.nanoTime() - asked > TIMEOUT_NANOS;
        continue;
      }
      read(child, depth + 1);
      if (recycles) {
        child.recycle();
      }
    }
  }

  private void add(AccessibilityNodeInfo node, int depth) {
    if (1 + (count + 1) * NUMBERS > numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * numbers.length);
    }
    node.getBoundsInScreen(bounds);
    int at = 1 + count * NUMBERS;
    numbers[at] = depth;
    numbers[at + 1] = flags(node);
    numbers[at + 2] = bounds.left;
    numbers[at + 3] = bounds.top;
    numbers[at + 4] = bounds.right;
    numbers[at + 5] = bounds.bottom;
    numbers[at + 6] = number(node.getClassName());
    numbers[at + 7] = number(node.getViewIdResourceName());
    numbers[at + 8] = number(node.getText());
    numbers[at + 9] = number(node.getContentDescription());
    count++;
  }

  /** Index of a text; 0 for null. */
  private int number(CharSequence text) {
    String string = text == null ? null : text.toString();
    if (string == null) {
      return 0;
    }
    Integer known = texts.get(string);
    if (known != null) {
      return known;
    }
    int before = texts.size();
    if (before == ends.length) {
      ends = Arrays.copyOf(ends, 2 * before);
    }
    characters.append(string);
    ends[before] = characters.length();
    texts.put(string, before + 1);
    return before + 1;
  }

  private static int flags(AccessibilityNodeInfo node) {
    return (node.isEnabled() ? 1 : 0)
        | (node.isClickable() ? 1 << 1 : 0)
        | (node.isLongClickable() ? 1 << 2 : 0)
        | (node.isScrollable() ? 1 << 3 : 0)
        | (node.isCheckable() ? 1 << 4 : 0)
        | (node.isChecked() ? 1 << 5 : 0)
        | (node.isEditable() ? 1 << 6 : 0)
        | (node.isFocused() ? 1 << 7 : 0)
        | (node.isSelected() ? 1 << 8 : 0)
        | (node.isPassword() ? 1 << 9 : 0)
        | (node.isVisibleToUser() ? 1 << 10 : 0);
  }
}
