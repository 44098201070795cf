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
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadows.ShadowBroadcastPendingResult;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/** Receivers that the app's manifest declares, each made anew for a broadcast, and what the system has told for good. */
public final class Broadcasts {
    private static final int BATTERY_PERCENT = 80;

    private Broadcasts() {}

    public static void send(Intent intent, boolean ordered, int code, String data, Bundle extras) {
        if (!AppProcess.runs()) {
            return;
        }
        Context app = RuntimeEnvironment.getApplication();
        boolean isNamed = intent.getComponent() != null || intent.getPackage() != null;
        // Since Android 8 a manifest's receivers hear only of what names their app.
        if (!isNamed && app.getApplicationInfo().targetSdkVersion >= Build.VERSION_CODES.O) {
            return;
        }
        for (ResolveInfo found : app.getPackageManager().queryBroadcastReceivers(intent, 0)) {
            if (found.activityInfo.packageName.equals(Server.packageName())) {
                String name = found.activityInfo.name;
                Intent sent = new Intent(intent).setComponent(new ComponentName(Server.packageName(), name));
                new Handler(Looper.getMainLooper()).post(() -> receive(app, name, sent, ordered, code, data, extras));
            }
        }
    }

    private static void receive(
            Context app, String name, Intent intent, boolean ordered, int code, String data, Bundle extras) {
        BroadcastReceiver receiver = AppProcess.instantiate(BroadcastReceiver.class, name);
        intent.setExtrasClassLoader(AppProcess.loader());
        receiver.setPendingResult(ReflectionHelpers.callStaticMethod(
                ShadowBroadcastPendingResult.class,
                "create",
                ClassParameter.from(int.class, code),
                ClassParameter.from(String.class, data),
                ClassParameter.from(Bundle.class, extras),
                ClassParameter.from(boolean.class, ordered)));
        try {
            receiver.onReceive(app, intent);
        } catch (RuntimeException e) {
            throw new RuntimeException("Unable to start receiver " + name + ": " + e, e);
        }
    }

    /** What a phone that lies on a desk has told everybody: apps ask for it and expect an answer. */
    static void attach() {
        Intent battery = new Intent(Intent.ACTION_BATTERY_CHANGED)
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
