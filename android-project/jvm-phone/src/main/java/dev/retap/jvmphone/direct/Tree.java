package dev.retap.jvmphone.direct;

import android.graphics.Rect;
import android.view.accessibility.AccessibilityInteractionClient;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;
import dev.retap.jvmphone.server.AccessibilityServer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Every window's nodes, each read as the agent reads it, in Java. */
final class Tree {
    private static final int PREFETCH = AccessibilityNodeInfo.FLAG_PREFETCH_DESCENDANTS_BREADTH_FIRST
            | AccessibilityNodeInfo.FLAG_PREFETCH_UNINTERRUPTIBLE;

    /** What the agent keeps of a node. */
    record Node(int depth, String type, String id, String text, String description, Rect bounds, int flags) {
        boolean isTapped() {
            return (flags & TAPPED) == TAPPED;
        }
    }

    private static final int TAPPED = 1 | 1 << 1 | 1 << 10;

    /** All of them, window by window. */
    final List<Node> nodes = new ArrayList<>();
    /** Where the nodes of the topmost window begin and end that is no keyboard. */
    private int top;
    private int topEnd;

    List<Node> tapped() {
        return nodes.subList(top, topEnd).stream().filter(Node::isTapped).toList();
    }

    static Tree read() {
        Tree tree = new Tree();
        List<AccessibilityWindowInfo> windows =
                AccessibilityInteractionClient.getInstance().getWindows(AccessibilityServer.CONNECTION);
        for (int number = windows.size() - 1; number >= 0; number--) {
            AccessibilityWindowInfo window = windows.get(number);
            boolean isKeyboard = window.getType() == AccessibilityWindowInfo.TYPE_INPUT_METHOD;
            window.getBoundsInScreen(new Rect());
            window.getTitle();
            window.getParent();
            AccessibilityNodeInfo root = window.getRoot(PREFETCH);
            int first = tree.nodes.size();
            if (root != null) {
                tree.read(root, 0, new HashSet<>());
            }
            if (!isKeyboard) {
                tree.top = first;
                tree.topEnd = tree.nodes.size();
            }
        }
        return tree;
    }

    private void read(AccessibilityNodeInfo node, int depth, Set<Long> seen) {
        if (!seen.add(node.getSourceNodeId())) {
            return;
        }
        Rect bounds = new Rect();
        node.getBoundsInScreen(bounds);
        nodes.add(new Node(
                depth,
                text(node.getClassName()),
                text(node.getViewIdResourceName()),
                text(node.getText()),
                text(node.getContentDescription()),
                bounds,
                flags(node)));
        int children = node.getChildCount();
        for (int number = 0; number < children; number++) {
            AccessibilityNodeInfo child = node.getChild(number, PREFETCH);
            if (child != null) {
                read(child, depth + 1, seen);
            }
        }
    }

    private static String text(CharSequence text) {
        return text == null ? "" : text.toString();
    }

    private static int flags(AccessibilityNodeInfo node) {
        boolean[] all = {
            node.isEnabled(),
            node.isClickable(),
            node.isLongClickable(),
            node.isScrollable(),
            node.isCheckable(),
            node.isChecked(),
            node.isEditable(),
            node.isFocused(),
            node.isSelected(),
            node.isPassword(),
            node.isVisibleToUser()
        };
        int flags = 0;
        for (int number = 0; number < all.length; number++) {
            flags |= all[number] ? 1 << number : 0;
        }
        return flags;
    }
}
