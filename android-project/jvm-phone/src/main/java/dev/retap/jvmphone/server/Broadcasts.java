package dev.retap.jvmphone.server;

import android.content.BroadcastReceiver;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.pm.ResolveInfo;
import android.os.BatteryManager;
import android.os.Build;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import dev.retap.jvmphone.app.AppProcess;
import java.util.List;
import java.util.Set;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.shadows.ShadowApplication.Wrapper;
import org.robolectric.shadows.ShadowBroadcastPendingResult;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/**
 * Delivers broadcasts to the app: to receivers of its manifest, each a new instance, and to
 * receivers registered by its code.
 */
public final class Broadcasts {
  private static final int BATTERY_PERCENT = 80;

  /** Broadcasts of this phone's system that Android 8 still delivers to receivers of a manifest. */
  private static final Set<String> EXEMPT = Set.of(Intent.ACTION_TIMEZONE_CHANGED);

  private Broadcasts() {}

  /**
   * Sends a broadcast of the app to receivers of its manifest; the framework delivers it to
   * registered ones.
   */
  public static void send(Intent intent, boolean ordered, int code, String data, Bundle extras) {
    toDeclared(intent, false, ordered, code, data, extras);
  }

  /** Sends a broadcast of the system, which reaches all receivers. */
  static void fromSystem(Intent intent) {
    toRegistered(intent, false, false);
    toDeclared(intent, false, false, 0, null, null);
  }

  /**
   * Sends a broadcast of the shell, which reaches only exported receivers. It is ordered: the shell
   * waits for its end.
   */
  static void fromShell(Intent intent) {
    toRegistered(intent, true, true);
    toDeclared(intent, true, true, 0, null, null);
  }

  private static void toDeclared(
      Intent intent, boolean onlyOpen, boolean ordered, int code, String data, Bundle extras) {
    if (!AppProcess.runs()) {
      return;
    }
    Context app = RuntimeEnvironment.getApplication();
    boolean isNamed =
        intent.getComponent() != null
            || intent.getPackage() != null
            || EXEMPT.contains(intent.getAction());
    // Since Android 8 receivers of a manifest get only broadcasts that name their app.
    if (!isNamed && app.getApplicationInfo().targetSdkVersion >= Build.VERSION_CODES.O) {
      return;
    }
    for (ResolveInfo found : app.getPackageManager().queryBroadcastReceivers(intent, 0)) {
      boolean isOpen = found.activityInfo.exported && found.activityInfo.permission == null;
      if (found.activityInfo.packageName.equals(Server.packageName()) && (isOpen || !onlyOpen)) {
        String name = found.activityInfo.name;
        Intent sent =
            new Intent(intent).setComponent(new ComponentName(Server.packageName(), name));
        MainThread.post(() -> receive(app, name, sent, ordered, code, data, extras));
      }
    }
  }

  private static void receive(
      Context app,
      String name,
      Intent intent,
      boolean ordered,
      int code,
      String data,
      Bundle extras) {
    BroadcastReceiver receiver = AppProcess.instantiate(BroadcastReceiver.class, name);
    intent.setExtrasClassLoader(AppProcess.loader());
    receiver.setPendingResult(result(code, data, extras, ordered));
    try {
      receiver.onReceive(app, intent);
    } catch (RuntimeException e) {
      throw new RuntimeException("Unable to start receiver " + name + ": " + e, e);
    }
  }

  private static void toRegistered(Intent intent, boolean onlyOpen, boolean ordered) {
    if (!AppProcess.runs()) {
      return;
    }
    for (Wrapper registered : registered()) {
      boolean isOpen =
          (registered.flags & Context.RECEIVER_NOT_EXPORTED) == 0
              && registered.broadcastPermission == null;
      boolean matches = registered.intentFilter.match(null, intent, false, "Broadcasts") >= 0;
      if (matches && (isOpen || !onlyOpen)) {
        Handler handler =
            registered.scheduler == null
                ? new Handler(Looper.getMainLooper())
                : registered.scheduler;
        handler.post(() -> deliver(registered, new Intent(intent), ordered));
      }
    }
  }

  private static void deliver(Wrapper registered, Intent intent, boolean ordered) {
    if (!registered().contains(registered)) {
      return;
    }
    BroadcastReceiver receiver = registered.broadcastReceiver;
    receiver.setPendingResult(result(0, null, null, ordered));
    try {
      receiver.onReceive(registered.context, intent);
    } catch (RuntimeException e) {
      throw new RuntimeException("Error receiving broadcast " + intent + " in " + receiver, e);
    }
  }

  private static List<Wrapper> registered() {
    return Shadows.shadowOf(RuntimeEnvironment.getApplication()).getRegisteredReceivers();
  }

  private static BroadcastReceiver.PendingResult result(
      int code, String data, Bundle extras, boolean ordered) {
    return ReflectionHelpers.callStaticMethod(
        ShadowBroadcastPendingResult.class,
        "create",
        ClassParameter.from(int.class, code),
        ClassParameter.from(String.class, data),
        ClassParameter.from(Bundle.class, extras),
        ClassParameter.from(boolean.class, ordered));
  }

  /** Sends the sticky battery broadcast: apps query it. */
  static void attach() {
    Intent battery =
        new Intent(Intent.ACTION_BATTERY_CHANGED)
            .putExtra(BatteryManager.EXTRA_LEVEL, BATTERY_PERCENT)
            .putExtra(BatteryManager.EXTRA_SCALE, 100)
            .putExtra(BatteryManager.EXTRA_STATUS, BatteryManager.BATTERY_STATUS_DISCHARGING)
            .putExtra(BatteryManager.EXTRA_HEALTH, BatteryManager.BATTERY_HEALTH_GOOD)
            .putExtra(BatteryManager.EXTRA_PLUGGED, 0)
            .putExtra(BatteryManager.EXTRA_PRESENT, true)
            .putExtra(BatteryManager.EXTRA_TEMPERATURE, 250)
            .putExtra(BatteryManager.EXTRA_VOLTAGE, 4_000)
            .putExtra(BatteryManager.EXTRA_TECHNOLOGY, "Li-ion");
    RuntimeEnvironment.getApplication().sendStickyBroadcast(battery);
  }
}
