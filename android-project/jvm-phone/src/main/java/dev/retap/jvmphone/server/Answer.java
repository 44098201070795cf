package dev.retap.jvmphone.server;

import android.view.accessibility.AccessibilityInteractionClient;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.IAccessibilityInteractionConnectionCallback;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/**
 * What a window answers to one question about its nodes: it does so by a message, which a drawing
 * to come holds back.
 */
final class Answer {
  private static final long FRAME_MILLIS = 16;

  /** The framework's own limit, by a clock that stands still while the asking thread waits. */
  private static final int FRAMES = 300;

  private final IAccessibilityInteractionConnectionCallback asker;
  private final List<AccessibilityNodeInfo> prefetched = new ArrayList<>();
  private boolean given;

  Answer(IAccessibilityInteractionConnectionCallback asker) {
    this.asker = asker;
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
              given = true;
              return method.invoke(asker, arguments);
            });
  }

  /**
   * On the main thread. False if the window does not answer: to the asker it is then as if it were
   * gone.
   */
  boolean await() {
    PhoneClock.run();
    for (int frame = 0; frame < FRAMES && !given; frame++) {
      PhoneClock.pass(FRAME_MILLIS);
    }
    return given;
  }

  /**
   * Prefetched nodes come before the client waits for them: they go where it would have put them.
   * To be called when the events that were sent before the answer have arrived: those make the
   * client forget what it has.
   */
  void keep() {
    for (AccessibilityNodeInfo node : prefetched) {
      node.setConnectionId(AccessibilityServer.CONNECTION);
      node.setSealed(true);
      AccessibilityInteractionClient.getCache(AccessibilityServer.CONNECTION).add(node);
    }
  }
}
