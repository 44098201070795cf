package android.accessibilityservice;

public final class AccessibilityServiceInfo {
  public int flags;
}
