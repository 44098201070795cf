package dev.retap.agent;

import android.app.UiAutomation;
import android.view.accessibility.AccessibilityEvent;

/** Tells the agent when something on the screen has changed. */
final class Events implements UiAutomation.OnAccessibilityEventListener {
  @Override
  public void onAccessibilityEvent(AccessibilityEvent event) {
    Native.event(event.getEventTime());
  }
}
