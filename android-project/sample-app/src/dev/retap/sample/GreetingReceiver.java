package dev.retap.sample;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;

/** Another app says hello: counted, whatever is on the screen. */
public final class GreetingReceiver extends BroadcastReceiver {
  static final String HELLO = "dev.retap.sample.HELLO";

  @Override
  public void onReceive(Context context, Intent intent) {
    new Store(context).addGreeting();
  }
}
