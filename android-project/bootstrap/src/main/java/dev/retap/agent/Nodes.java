package dev.retap.agent;

import android.graphics.Rect;
import android.view.accessibility.AccessibilityNodeInfo;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * A window's tree in one call: each call from Rust costs as much as what it reads, and a node needs twenty. Trees come from
 * apps and may be huge, deep, circular or half gone.
 */
final class Nodes {
    /** Of each node: depth, flags, and its place on the screen. */
    private static final int NUMBERS = 6;
    /** Of each node, null where it has none: class, id, text, description. */
    private static final int TEXTS = 4;
    /** From this bit of the flags on: which of the texts there are. */
    private static final int FIRST_TEXT = 16;

    private final int mostNodes;
    private final int mostDepth;
    private final int prefetch;
    private final boolean recycles;
    private final Set<Long> seen = new HashSet<>();
    private final Rect bounds = new Rect();
    private int[] numbers = new int[64 * NUMBERS];
    private String[] texts = new String[64 * TEXTS];
    private int count;

    private Nodes(int mostNodes, int mostDepth, int prefetch, boolean recycles) {
        this.mostNodes = mostNodes;
        this.mostDepth = mostDepth;
        this.prefetch = prefetch;
        this.recycles = recycles;
    }

    /**
     * All numbers and all texts, node by node; agent/src/android/nodes.rs takes them apart. Without `prefetch` (0) children are
     * asked for as before level 33; where `recycles`, nodes go back to their pool.
     */
    static Object[] read(AccessibilityNodeInfo root, int mostNodes, int mostDepth, int prefetch, boolean recycles) {
        Nodes nodes = new Nodes(mostNodes, mostDepth, prefetch, recycles);
        nodes.read(root, 0);
        return new Object[] {
            Arrays.copyOf(nodes.numbers, nodes.count * NUMBERS), Arrays.copyOf(nodes.texts, nodes.count * TEXTS)
        };
    }

    private void read(AccessibilityNodeInfo node, int depth) {
        if (count >= mostNodes || !seen.add(node.getSourceNodeId())) {
            return;
        }
        add(node, depth);
        int children = depth < mostDepth ? node.getChildCount() : 0;
        for (int number = 0; number < children && count < mostNodes; number++) {
            AccessibilityNodeInfo child = prefetch == 0 ? node.getChild(number) : node.getChild(number, prefetch);
            // One that has gone meanwhile is null.
            if (child == null) {
                continue;
            }
            read(child, depth + 1);
            if (recycles) {
                child.recycle();
            }
        }
    }

    private void add(AccessibilityNodeInfo node, int depth) {
        if ((count + 1) * NUMBERS > numbers.length) {
            numbers = Arrays.copyOf(numbers, 2 * numbers.length);
            texts = Arrays.copyOf(texts, 2 * texts.length);
        }
        node.getBoundsInScreen(bounds);
        int at = count * NUMBERS;
        numbers[at] = depth;
        numbers[at + 1] = flags(node);
        numbers[at + 2] = bounds.left;
        numbers[at + 3] = bounds.top;
        numbers[at + 4] = bounds.right;
        numbers[at + 5] = bounds.bottom;
        at = count * TEXTS;
        texts[at] = text(node.getClassName());
        texts[at + 1] = node.getViewIdResourceName();
        texts[at + 2] = text(node.getText());
        texts[at + 3] = text(node.getContentDescription());
        for (int number = 0; number < TEXTS; number++) {
            if (texts[at + number] != null) {
                numbers[count * NUMBERS + 1] |= 1 << FIRST_TEXT + number;
            }
        }
        count++;
    }

    private static String text(CharSequence text) {
        return text == null ? null : text.toString();
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
