package dev.retap.sample;

import android.app.Activity;
import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.net.ConnectivityManager;
import android.net.Network;
import android.os.Build;
import android.os.Bundle;
import android.os.PowerManager;
import android.provider.Settings;
import android.widget.CheckBox;
import android.widget.TextView;
import java.util.TimeZone;

/** Log of system events and broadcasts, in the order of their arrival. */
public final class SurroundingsActivity extends Activity {
  private final BroadcastReceiver receiver =
      new BroadcastReceiver() {
        @Override
        public void onReceive(Context context, Intent intent) {
          if (!isInitialStickyBroadcast()) {
            show(describe(intent.getAction()));
          }
        }
      };
  private final ConnectivityManager.NetworkCallback callback =
      new ConnectivityManager.NetworkCallback() {
        @Override
        public void onLost(Network network) {
          runOnUiThread(() -> show("network lost"));
        }
      };

  private String messages = "";

  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state);
    setContentView(R.layout.surroundings);
    setTitle("Surroundings");
    if (state != null) {
      messages = state.getString("messages");
    }
    show("greetings: " + new Store(this).greetings());
    listen();
  }

  private void listen() {
    IntentFilter filter = new IntentFilter(GreetingReceiver.HELLO);
    filter.addAction(Intent.ACTION_AIRPLANE_MODE_CHANGED);
    filter.addAction(Intent.ACTION_TIMEZONE_CHANGED);
    filter.addAction(ConnectivityManager.CONNECTIVITY_ACTION);
    filter.addAction(PowerManager.ACTION_DEVICE_IDLE_MODE_CHANGED);
    if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.TIRAMISU) {
      registerReceiver(receiver, filter, RECEIVER_EXPORTED);
    } else {
      registerReceiver(receiver, filter);
    }
    if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.N) {
      getSystemService(ConnectivityManager.class).registerDefaultNetworkCallback(callback);
    }
  }

  @Override
  protected void onDestroy() {
    super.onDestroy();
    unregisterReceiver(receiver);
    if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.N) {
      getSystemService(ConnectivityManager.class).unregisterNetworkCallback(callback);
    }
  }

  @Override
  protected void onSaveInstanceState(Bundle state) {
    super.onSaveInstanceState(state);
    state.putString("messages", messages);
  }

  private String describe(String action) {
    if (action.equals(Intent.ACTION_AIRPLANE_MODE_CHANGED)) {
      return "airplane mode "
          + Settings.Global.getInt(getContentResolver(), Settings.Global.AIRPLANE_MODE_ON, 0);
    }
    if (action.equals(Intent.ACTION_TIMEZONE_CHANGED)) {
      return "time zone " + TimeZone.getDefault().getID();
    }
    if (action.equals(ConnectivityManager.CONNECTIVITY_ACTION)) {
      return getSystemService(ConnectivityManager.class).getActiveNetworkInfo() == null
          ? "no network"
          : "network";
    }
    if (action.equals(PowerManager.ACTION_DEVICE_IDLE_MODE_CHANGED)) {
      return getSystemService(PowerManager.class).isDeviceIdleMode() ? "asleep" : "awake";
    }
    return "hello";
  }

  @Override
  public void onTrimMemory(int level) {
    super.onTrimMemory(level);
    if (level == TRIM_MEMORY_RUNNING_CRITICAL) {
      show("short of memory");
    }
  }

  private void show(String message) {
    if (((CheckBox) findViewById(R.id.fail)).isChecked()) {
      throw new IllegalStateException("news: " + message);
    }
    messages += message + "\n";
    ((TextView) findViewById(R.id.told)).setText(messages);
  }
}
