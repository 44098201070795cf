package android.view.accessibility;

public final class AccessibilityEvent {
  private final long time;

  public AccessibilityEvent(long time) {
    this.time = time;
  }

  public long getEventTime() {
    return time;
  }
}
