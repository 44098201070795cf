package dev.retap.agent;

import android.content.AttributionSource;
import android.content.Context;
import android.content.ContextWrapper;

/**
 * System context with the shell's package name: services check that a caller's package belongs to
 * its uid.
 */
final class ShellContext extends ContextWrapper {
  private static final String SHELL = "com.android.shell";
  private static final int SHELL_UID = 2000;

  ShellContext(Context base) {
    super(base);
  }

  @Override
  public String getPackageName() {
    return SHELL;
  }

  @Override
  public String getOpPackageName() {
    return SHELL;
  }

  /** Used from level 31 on. */
  @Override
  public AttributionSource getAttributionSource() {
    return new AttributionSource.Builder(SHELL_UID).setPackageName(SHELL).build();
  }

  /** Used from level 34 on. */
  @Override
  public int getDeviceId() {
    return 0;
  }

  @Override
  public Context getApplicationContext() {
    return this;
  }
}
