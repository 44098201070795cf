package dev.retap.agent;

import android.content.pm.IPackageDataObserver;

/** Notifies the agent that an app's data has been cleared. */
final class Cleared extends IPackageDataObserver.Stub {
  @Override
  public void onRemoveCompleted(String packageName, boolean succeeded) {
    Native.cleared(packageName, succeeded);
  }
}
