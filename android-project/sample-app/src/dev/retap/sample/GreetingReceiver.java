package dev.retap.sample;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;

/** Counts broadcasts of other apps, on every screen. */
public final class GreetingReceiver extends BroadcastReceiver {
  static final String HELLO = "dev.retap.sample.HELLO";

  @Override
  public void onReceive(Context context, Intent intent) {
    new Store(context).addGreeting();
  }
}
