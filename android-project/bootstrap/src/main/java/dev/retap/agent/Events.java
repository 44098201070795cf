package dev.retap.agent;

import android.app.UiAutomation;
import android.view.accessibility.AccessibilityEvent;

/** Notifies the agent of changes on the screen. */
final class Events implements UiAutomation.OnAccessibilityEventListener {
  @Override
  public void onAccessibilityEvent(AccessibilityEvent event) {
    Native.event(event.getEventTime());
  }
}
