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
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.robolectric.RuntimeEnvironment;

/**
 * Baseline for benchmarks: the agent's loop in Java, in the same JVM, without a link. Enabled by a
 * property. Requests come through a socket in the phone's directory, so that its thread is woken as
 * the agent's is.
 */
public final class Direct implements Runnable {
  private static final String PROPERTY = "retap.direct";
  private static final int WAIT_FOR_FINISH = 2;

  /** Settle time after a start, as in the agent. */
  private static final long START_QUIET_MILLIS = 200;

  private static final long QUIET_LIMIT_MILLIS = 5_000;

  private final ServerSocketChannel clients;

  private Direct(ServerSocketChannel clients) {
    this.clients = clients;
  }

  public static void startIfWanted() {
    if (System.getProperty(PROPERTY) == null) {
      return;
    }
    try {
      Path folder = Path.of(System.getProperty(Phone.DATA)).getParent();
      ServerSocketChannel clients = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      clients.bind(UnixDomainSocketAddress.of(folder.resolve("direct")));
      Thread thread = new Thread(new Direct(clients), "direct");
      thread.setDaemon(true);
      thread.setContextClassLoader(Direct.class.getClassLoader());
      thread.start();
    } catch (IOException e) {
      throw new IllegalStateException("the direct loop cannot be asked", e);
    }
  }

  /**
   * Serves one request line per connection: {@code walk EVENTS SEED QUIET_MILLIS}, {@code read} for
   * a screen, {@code nothing} for the cost of a request.
   */
  @Override
  public void run() {
    try {
      while (true) {
        try (SocketChannel client = clients.accept()) {
          String request =
              new BufferedReader(Channels.newReader(client, StandardCharsets.UTF_8)).readLine();
          String reply = handle(String.valueOf(request).split(" "));
          client.write(ByteBuffer.wrap(reply.getBytes(StandardCharsets.UTF_8)));
        }
      }
    } catch (IOException e) {
      System.err.println("error: the direct loop failed: " + e);
    }
  }

  /** Replies to a request, also if it fails: the client waits for it. */
  private static String handle(String[] arguments) {
    try {
      return switch (arguments[0]) {
        case "walk" ->
            explore(
                Integer.parseInt(arguments[1]),
                Long.parseUnsignedLong(arguments[2]),
                Long.parseLong(arguments[3]));
        case "read" -> read();
        default -> "unknown: " + arguments[0];
      };
    } catch (RemoteException
        | PackageManager.NameNotFoundException
        | RuntimeException
        | LinkageError e) {
      return "failed: " + e;
    }
  }

  /** Reads a screen. Returns microseconds. */
  private static String read() {
    long began = System.nanoTime();
    Tree.read();
    return String.valueOf((System.nanoTime() - began) / 1e3);
  }

  private static String explore(int events, long seed, long quiet)
      throws RemoteException, PackageManager.NameNotFoundException {
    RandomTaps choices = new RandomTaps(seed);
    Tree tree = start();
    long began = System.nanoTime();
    for (int event = 0; event < events; event++) {
      Tree after = step(choices.choose(tree), quiet);
      if (after == null) {
        choices.started();
        after = start();
      }
      tree = after;
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    return seconds + " " + choices;
  }

  /**
   * Performs one step. Returns null if the app must be restarted: it crashed, was left, or needs
   * something unsupported.
   */
  private static Tree step(Point place, long quiet) {
    int crashes = Server.controller().failures();
    try {
      act(place);
      settle(quiet);
      Tree after = Tree.read();
      boolean left = !Server.packageName().equals(after.activity.getPackageName());
      return left || Server.controller().failures() != crashes ? null : after;
    } catch (UnsupportedOperationException e) {
      return null;
    }
  }

  /** Clean start, as the agent does it: both must begin in the same state. */
  private static Tree start() throws RemoteException, PackageManager.NameNotFoundException {
    String name = Server.packageName();
    ActivityManager.getService().forceStopPackage(name, 0);
    MainThread.call(() -> Display.rotate(Surface.ROTATION_0));
    ActivityManager.getService()
        .clearApplicationUserData(name, false, new IPackageDataObserver.Default(), 0);
    PackageManager packages = RuntimeEnvironment.getApplication().getPackageManager();
    String[] wanted =
        packages.getPackageInfo(name, PackageManager.GET_PERMISSIONS).requestedPermissions;
    for (String permission : wanted == null ? new String[0] : wanted) {
      MainThread.call(() -> Server.grant(permission));
    }
    Intent launch = packages.getLaunchIntentForPackage(name);
    launch.setFlags(Intent.FLAG_ACTIVITY_NEW_TASK | Intent.FLAG_ACTIVITY_RESET_TASK_IF_NEEDED);
    ActivityManager.getService()
        .startActivityAsUser(
            null, "com.android.shell", launch, null, null, null, -1, 0, null, null, 0);
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

  /** Taps at a point; null presses the back key. */
  private static void act(Point place) {
    long down = SystemClock.uptimeMillis();
    for (int action : new int[] {MotionEvent.ACTION_DOWN, MotionEvent.ACTION_UP}) {
      inject(place == null ? key(down, action) : touch(down, action, place));
    }
  }

  private static MotionEvent touch(long down, int action, Point place) {
    MotionEvent event =
        MotionEvent.obtain(down, SystemClock.uptimeMillis(), action, place.x, place.y, 0);
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
