package dev.retap.jvmphone.direct;

import android.app.ActivityManager;
import android.content.Intent;
import android.content.pm.IPackageDataObserver;
import android.content.pm.PackageManager;
import android.hardware.input.InputManagerGlobal;
import android.os.RemoteException;
import android.os.SystemClock;
import android.view.InputDevice;
import android.view.InputEvent;
import android.view.KeyEvent;
import android.view.MotionEvent;
import dev.retap.jvmphone.Phone;
import dev.retap.jvmphone.server.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.robolectric.RuntimeEnvironment;

/**
 * What a bench compares the agent with: the same loop written in Java, in the same JVM, without a link. Only where the
 * property says so; asked for by a file in the phone's folder, and answered by another.
 */
public final class Direct implements Runnable {
    private static final String PROPERTY = "retap.direct";
    private static final int WAIT_FOR_FINISH = 2;
    private static final int BACK = 16;
    private static final long QUIET_LIMIT_MILLIS = 5_000;
    private static final int CAPTURES = 50;
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

    /** Requests are `EVENTS SEED QUIET_MILLIS`; without events the screen is only read. */
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
            return measure(Integer.parseInt(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
        } catch (RemoteException | RuntimeException | LinkageError e) {
            return "failed: " + e;
        }
    }

    private void answer(String text) throws IOException {
        Path part = folder.resolve("direct.part");
        Files.writeString(part, text);
        Files.move(part, folder.resolve("direct.answer"), StandardCopyOption.ATOMIC_MOVE);
    }

    private static String measure(int events, long seed, long quiet) throws RemoteException {
        if (events == 0) {
            return "0 0 " + microsPerNode(Tree.read().nodes.size());
        }
        Random chance = new Random(seed);
        Tree tree = start(quiet);
        long began = System.nanoTime();
        for (int event = 0; event < events; event++) {
            Tree after = step(tree, chance, quiet);
            tree = after == null ? start(quiet) : after;
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        return events + " " + seconds + " 0";
    }

    /** Null if the app is to be started anew: it has crashed, was left, or wants what only this phone cannot do. */
    private static Tree step(Tree tree, Random chance, long quiet) {
        int crashes = Server.controller().told();
        try {
            act(choose(tree, chance));
            settle(quiet);
            Tree after = Tree.read();
            boolean left = !Server.packageName().equals(Server.runningTasks().get(0).topActivity.getPackageName());
            return left || Server.controller().told() != crashes ? null : after;
        } catch (UnsupportedOperationException e) {
            return null;
        }
    }

    private static double microsPerNode(int nodes) {
        double[] times = new double[CAPTURES];
        for (int number = 0; number < CAPTURES; number++) {
            long began = System.nanoTime();
            Tree.read();
            times[number] = (System.nanoTime() - began) / 1e3 / nodes;
        }
        Arrays.sort(times);
        return times[CAPTURES / 2];
    }

    private static Tree start(long quiet) throws RemoteException {
        String name = Server.packageName();
        ActivityManager.getService().forceStopPackage(name, 0);
        ActivityManager.getService().clearApplicationUserData(name, false, new IPackageDataObserver.Default(), 0);
        PackageManager packages = RuntimeEnvironment.getApplication().getPackageManager();
        Intent launch = packages.getLaunchIntentForPackage(name);
        ActivityManager.getService()
                .startActivityAsUser(null, "com.android.shell", launch, null, null, null, 0, 0, null, null, 0);
        settle(quiet);
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
    private static Tree.Node choose(Tree tree, Random chance) {
        if (chance.nextInt(BACK) == 0) {
            return null;
        }
        List<Tree.Node> tapped = tree.nodes.subList(tree.top, tree.nodes.size()).stream()
                .filter(Tree.Node::isTapped)
                .toList();
        return tapped.isEmpty() ? null : tapped.get(chance.nextInt(tapped.size()));
    }

    private static void act(Tree.Node node) {
        long down = SystemClock.uptimeMillis();
        for (int action : new int[] {MotionEvent.ACTION_DOWN, MotionEvent.ACTION_UP}) {
            inject(node == null ? key(down, action) : touch(down, action, node));
        }
    }

    private static MotionEvent touch(long down, int action, Tree.Node node) {
        MotionEvent event = MotionEvent.obtain(
                down, SystemClock.uptimeMillis(), action, node.bounds().centerX(), node.bounds().centerY(), 0);
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
