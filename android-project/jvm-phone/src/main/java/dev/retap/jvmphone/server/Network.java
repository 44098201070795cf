package dev.retap.jvmphone.server;

import android.content.Context;
import android.content.Intent;
import android.net.ConnectivityManager;
import android.net.ConnectivityManager.NetworkCallback;
import android.net.NetworkCapabilities;
import android.net.NetworkInfo;
import android.net.NetworkInfo.DetailedState;
import android.net.NetworkInfo.State;
import android.os.Build;
import android.provider.Settings;
import java.util.Comparator;
import java.util.List;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.shadows.ShadowConnectivityManager;
import org.robolectric.shadows.ShadowNetworkInfo;
import org.robolectric.util.ReflectionHelpers;

/** Network: Wi-Fi with internet access, or none in airplane mode. */
final class Network {
  private static boolean airplaneMode;

  private Network() {}

  static boolean isAirplaneMode() {
    return airplaneMode;
  }

  /** Connects to a new framework. */
  static void attach() {
    Context context = RuntimeEnvironment.getApplication();
    ShadowConnectivityManager shadow = Shadows.shadowOf(manager());
    NetworkInfo wifi = info(ConnectivityManager.TYPE_WIFI, !airplaneMode);
    // Null also clears all other networks.
    shadow.setActiveNetworkInfo(airplaneMode ? null : wifi);
    shadow.setNetworkInfo(ConnectivityManager.TYPE_WIFI, wifi);
    shadow.setNetworkInfo(
        ConnectivityManager.TYPE_MOBILE, info(ConnectivityManager.TYPE_MOBILE, false));
    if (!airplaneMode) {
      openInternet(manager().getNetworkCapabilities(manager().getActiveNetwork()));
    }
    Settings.Global.putInt(
        context.getContentResolver(), Settings.Global.AIRPLANE_MODE_ON, airplaneMode ? 1 : 0);
  }

  private static void openInternet(NetworkCapabilities capabilities) {
    Shadows.shadowOf(capabilities).addCapability(NetworkCapabilities.NET_CAPABILITY_INTERNET);
    Shadows.shadowOf(capabilities).addCapability(NetworkCapabilities.NET_CAPABILITY_VALIDATED);
  }

  /** Switches airplane mode and sends the system's broadcasts and callbacks. */
  static void setAirplaneMode(boolean on) {
    if (airplaneMode == on) {
      return;
    }
    android.net.Network lost = manager().getActiveNetwork();
    airplaneMode = on;
    attach();
    Broadcasts.fromSystem(new Intent(Intent.ACTION_AIRPLANE_MODE_CHANGED).putExtra("state", on));
    notifyCallbacks(on ? lost : manager().getActiveNetwork());
    Intent changed =
        new Intent(ConnectivityManager.CONNECTIVITY_ACTION)
            .putExtra(
                ConnectivityManager.EXTRA_NETWORK_INFO, info(ConnectivityManager.TYPE_WIFI, !on))
            .putExtra(ConnectivityManager.EXTRA_NETWORK_TYPE, ConnectivityManager.TYPE_WIFI);
    if (on) {
      changed.putExtra(ConnectivityManager.EXTRA_NO_CONNECTIVITY, true);
    }
    RuntimeEnvironment.getApplication().sendStickyBroadcast(changed);
    // Apps for Android 7 and later receive it only if their code has registered for it.
    if (RuntimeEnvironment.getApplication().getApplicationInfo().targetSdkVersion
        < Build.VERSION_CODES.N) {
      Broadcasts.send(changed, false, 0, null, null);
    }
  }

  /**
   * Notifies callbacks in an order that is the same in every run, on the main thread: the requested
   * thread is not known here.
   */
  private static void notifyCallbacks(android.net.Network network) {
    List<NetworkCallback> callbacks =
        Shadows.shadowOf(manager()).getNetworkCallbacks().stream()
            .sorted(Comparator.comparing(callback -> callback.getClass().getName()))
            .toList();
    for (NetworkCallback callback : callbacks) {
      MainThread.post(() -> notifyCallback(callback, network));
    }
  }

  private static void notifyCallback(NetworkCallback callback, android.net.Network network) {
    if (airplaneMode) {
      callback.onLost(network);
      return;
    }
    callback.onAvailable(network);
    callback.onCapabilitiesChanged(network, manager().getNetworkCapabilities(network));
  }

  private static ConnectivityManager manager() {
    return RuntimeEnvironment.getApplication().getSystemService(ConnectivityManager.class);
  }

  private static NetworkInfo info(int type, boolean connected) {
    DetailedState detail = connected ? DetailedState.CONNECTED : DetailedState.DISCONNECTED;
    State state = connected ? State.CONNECTED : State.DISCONNECTED;
    NetworkInfo info = ShadowNetworkInfo.newInstance(detail, type, 0, true, state);
    ReflectionHelpers.setField(
        info, "mTypeName", type == ConnectivityManager.TYPE_WIFI ? "WIFI" : "MOBILE");
    ReflectionHelpers.setField(info, "mSubtypeName", "");
    return info;
  }
}
