package dev.retap.jvmphone.server;

import android.view.accessibility.AccessibilityInteractionClient;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.IAccessibilityInteractionConnectionCallback;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/**
 * Reply of a window to a query for its nodes. The window replies with a message, which a pending
 * frame delays.
 */
final class Answer {
  private static final long FRAME_MILLIS = 16;

  /**
   * Frames to wait for: the framework's timeout, on a clock that stops while the calling thread
   * waits.
   */
  private static final int FRAMES = 300;

  private final IAccessibilityInteractionConnectionCallback client;
  private final List<AccessibilityNodeInfo> prefetched = new ArrayList<>();
  private boolean replied;

  Answer(IAccessibilityInteractionConnectionCallback client) {
    this.client = client;
  }

  IAccessibilityInteractionConnectionCallback callback() {
    return (IAccessibilityInteractionConnectionCallback)
        Proxy.newProxyInstance(
            Answer.class.getClassLoader(),
            new Class<?>[] {IAccessibilityInteractionConnectionCallback.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("setPrefetchAccessibilityNodeInfoResult")) {
                ((List<?>) arguments[0])
                    .forEach(node -> prefetched.add((AccessibilityNodeInfo) node));
                return null;
              }
              replied = true;
              return method.invoke(client, arguments);
            });
  }

  /**
   * Waits for the reply, on the main thread. Returns false if the window does not reply: for the
   * client it has disappeared.
   */
  boolean await() {
    PhoneClock.run();
    for (int frame = 0; frame < FRAMES && !replied; frame++) {
      PhoneClock.pass(FRAME_MILLIS);
    }
    return replied;
  }

  /**
   * Adds prefetched nodes to the client's cache, as the client would: they arrive before it waits
   * for them. To be called after events sent before the reply are delivered: those clear the cache.
   */
  void keep() {
    for (AccessibilityNodeInfo node : prefetched) {
      node.setConnectionId(AccessibilityServer.CONNECTION);
      node.setSealed(true);
      AccessibilityInteractionClient.getCache(AccessibilityServer.CONNECTION).add(node);
    }
  }
}
