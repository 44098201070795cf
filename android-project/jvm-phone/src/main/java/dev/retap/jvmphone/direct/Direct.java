package dev.retap.jvmphone.direct;

import android.app.ActivityManager;
import android.content.Intent;
import android.content.pm.IPackageDataObserver;
import android.content.pm.PackageManager;
import android.graphics.Point;
import android.hardware.input.InputManagerGlobal;
import android.os.RemoteException;
import android.os.SystemClock;
import android.view.InputDevice;
import android.view.InputEvent;
import android.view.KeyEvent;
import android.view.MotionEvent;
import android.view.Surface;
import dev.retap.jvmphone.Phone;
import dev.retap.jvmphone.server.Display;
import dev.retap.jvmphone.server.MainThread;
import dev.retap.jvmphone.server.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.robolectric.RuntimeEnvironment;

/**
 * What a bench compares the agent with: the same loop written in Java, in the same JVM, without a link. Only where the
 * property says so; asked for by a file in the phone's folder, and answered by another.
 */
public final class Direct implements Runnable {
    private static final String PROPERTY = "retap.direct";
    private static final int WAIT_FOR_FINISH = 2;
    /** As the agent waits after a start. */
    private static final long START_QUIET_MILLIS = 200;
    private static final long QUIET_LIMIT_MILLIS = 5_000;
    private static final long LOOK_MILLIS = 20;

    private final Path folder;

    private Direct(Path folder) {
        this.folder = folder;
    }

    public static void startIfWanted() {
        if (System.getProperty(PROPERTY) != null) {
            Thread thread = new Thread(new Direct(Path.of(System.getProperty(Phone.DATA)).getParent()), "direct");
            thread.setDaemon(true);
            thread.setContextClassLoader(Direct.class.getClassLoader());
            thread.start();
        }
    }

    /** Requests are `walk EVENTS SEED QUIET_MILLIS` and `read TIMES`. */
    @Override
    public void run() {
        Path request = folder.resolve("direct.request");
        try {
            while (true) {
                if (Files.exists(request)) {
                    String[] words = Files.readString(request).trim().split(" ");
                    Files.delete(request);
                    answer(measured(words));
                }
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("error: the direct loop failed: " + e);
        }
    }

    /** Whoever asked waits for an answer, whatever happens. */
    private static String measured(String[] words) {
        try {
            return words[0].equals("walk")
                    ? walk(Integer.parseInt(words[1]), Long.parseUnsignedLong(words[2]), Long.parseLong(words[3]))
                    : reads(Integer.parseInt(words[1]));
        } catch (RemoteException | PackageManager.NameNotFoundException | RuntimeException | LinkageError e) {
            return "failed: " + e;
        }
    }

    private void answer(String text) throws IOException {
        Path part = folder.resolve("direct.part");
        Files.writeString(part, text);
        Files.move(part, folder.resolve("direct.answer"), StandardCopyOption.ATOMIC_MOVE);
    }

    private static String walk(int events, long seed, long quiet)
            throws RemoteException, PackageManager.NameNotFoundException {
        Walk walk = new Walk(seed);
        Tree tree = start();
        long began = System.nanoTime();
        for (int event = 0; event < events; event++) {
            Tree after = step(walk.choose(tree), quiet);
            if (after == null) {
                walk.started();
                after = start();
            }
            tree = after;
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        return seconds + " " + walk;
    }

    /** Null if the app is to be started anew: it has crashed, was left, or wants what only this phone cannot do. */
    private static Tree step(Point place, long quiet) {
        int crashes = Server.controller().told();
        try {
            act(place);
            settle(quiet);
            Tree after = Tree.read();
            boolean left = !Server.packageName().equals(Server.runningTasks().get(0).topActivity.getPackageName());
            return left || Server.controller().told() != crashes ? null : after;
        } catch (UnsupportedOperationException e) {
            return null;
        }
    }

    private static String reads(int times) {
        StringBuilder micros = new StringBuilder();
        for (int number = 0; number < times; number++) {
            long began = System.nanoTime();
            Tree.read();
            micros.append((System.nanoTime() - began) / 1e3).append(' ');
        }
        return micros.toString();
    }

    /** What the agent does for a clean start, or the two would not begin in the same state. */
    private static Tree start() throws RemoteException, PackageManager.NameNotFoundException {
        String name = Server.packageName();
        ActivityManager.getService().forceStopPackage(name, 0);
        MainThread.call(() -> Display.rotate(Surface.ROTATION_0));
        ActivityManager.getService().clearApplicationUserData(name, false, new IPackageDataObserver.Default(), 0);
        PackageManager packages = RuntimeEnvironment.getApplication().getPackageManager();
        String[] wanted = packages.getPackageInfo(name, PackageManager.GET_PERMISSIONS).requestedPermissions;
        for (String permission : wanted == null ? new String[0] : wanted) {
            MainThread.call(() -> Server.grant(permission));
        }
        Intent launch = packages.getLaunchIntentForPackage(name);
        launch.setFlags(Intent.FLAG_ACTIVITY_NEW_TASK | Intent.FLAG_ACTIVITY_RESET_TASK_IF_NEEDED);
        ActivityManager.getService()
                .startActivityAsUser(null, "com.android.shell", launch, null, null, null, -1, 0, null, null, 0);
        settle(START_QUIET_MILLIS);
        return Tree.read();
    }

    private static void settle(long quiet) {
        long start = SystemClock.uptimeMillis();
        long end = start + QUIET_LIMIT_MILLIS;
        while (true) {
            long now = SystemClock.uptimeMillis();
            long still = Math.max(Server.lastEvent(), start) + quiet;
            if (now >= still || now >= end) {
                return;
            }
            SystemClock.sleep(Math.min(still, end) - now);
        }
    }

    /** Null for the back key. */
    private static void act(Point place) {
        long down = SystemClock.uptimeMillis();
        for (int action : new int[] {MotionEvent.ACTION_DOWN, MotionEvent.ACTION_UP}) {
            inject(place == null ? key(down, action) : touch(down, action, place));
        }
    }

    private static MotionEvent touch(long down, int action, Point place) {
        MotionEvent event = MotionEvent.obtain(down, SystemClock.uptimeMillis(), action, place.x, place.y, 0);
        event.setSource(InputDevice.SOURCE_TOUCHSCREEN);
        return event;
    }

    private static KeyEvent key(long down, int action) {
        return new KeyEvent(down, SystemClock.uptimeMillis(), action, KeyEvent.KEYCODE_BACK, 0);
    }

    private static void inject(InputEvent event) {
        InputManagerGlobal.getInstance().injectInputEvent(event, WAIT_FOR_FINISH);
    }
}
