package dev.retap.jvmphone.server;

import static android.view.WindowManager.LayoutParams.TYPE_BASE_APPLICATION;

import android.app.Activity;
import android.content.ComponentName;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.res.Configuration;
import android.content.res.Resources;
import android.content.res.TypedArray;
import android.os.Bundle;
import android.os.IBinder;
import android.view.View;
import dev.retap.jvmphone.app.Missing;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowActivity;
import org.robolectric.util.ReflectionHelpers;

/**
 * One activity in the stack, taken through its life in the order that the framework's
 * ActivityThread keeps.
 */
final class Record {
  enum State {
    NEW,
    RESUMED,
    PAUSED,
    STOPPED,
    GONE
  }

  /** What one activity hands to the one that started it. */
  record Result(String who, int requestCode, int resultCode, Intent data) {}

  final ActivityInfo info;
  final Intent intent;
  final IBinder resultTo;
  final String resultWho;
  final int requestCode;
  final List<Result> results = new ArrayList<>();
  State state = State.NEW;
  boolean finishing;
  int resultCode = Activity.RESULT_CANCELED;
  Intent resultData;
  int orientation;
  private ActivityController<Activity> controller;
  private Configuration configuration;

  Record(ActivityInfo info, Intent intent, IBinder resultTo, String resultWho, int requestCode) {
    this.info = info;
    this.intent = intent;
    this.resultTo = resultTo;
    this.resultWho = resultWho;
    this.requestCode = requestCode;
    this.orientation = info.screenOrientation;
  }

  ComponentName component() {
    return new ComponentName(info.packageName, info.name);
  }

  IBinder token() {
    return controller == null ? null : controller.get().getActivityToken();
  }

  Activity activity() {
    return controller == null ? null : controller.get();
  }

  boolean isVisible() {
    return state == State.RESUMED || state == State.PAUSED;
  }

  /** Whether there is an activity that can be told something. */
  boolean isThere() {
    return controller != null && state != State.GONE;
  }

  /** Whether it is gone for good as soon as it cannot be seen any more. */
  boolean isForgotten() {
    return (info.flags & ActivityInfo.FLAG_NO_HISTORY) != 0
        || (intent.getFlags() & Intent.FLAG_ACTIVITY_NO_HISTORY) != 0;
  }

  /** Whether what is below it can be seen. */
  boolean isSeeThrough() {
    TypedArray style = activity().obtainStyledAttributes(com.android.internal.R.styleable.Window);
    try {
      return ActivityInfo.isTranslucentOrFloating(style);
    } finally {
      style.recycle();
    }
  }

  void create(Activity instance, Bundle saved, Object retained) {
    controller = ActivityController.of(instance, intent);
    configuration = new Configuration(Resources.getSystem().getConfiguration());
    if (saved != null) {
      saved.setClassLoader(instance.getClass().getClassLoader());
    }
    if (retained != null) {
      ReflectionHelpers.setField(
          Activity.class, instance, "mLastNonConfigurationInstances", retained);
    }
    controller.create(saved);
    if (instance.isFinishing()) {
      return;
    }
    controller.start();
    if (saved != null) {
      controller.restoreInstanceState(saved);
    }
    controller.postCreate(saved);
  }

  void resume() {
    if (state == State.STOPPED) {
      controller.restart().start();
      show(true);
    }
    for (Result result : results) {
      ShadowActivity shadow = Shadow.extract(activity());
      shadow.internalCallDispatchActivityResult(
          result.who, result.requestCode, result.resultCode, result.data);
    }
    results.clear();
    if (state != State.RESUMED) {
      controller.resume().postResume();
      state = State.RESUMED;
      makeVisible();
      controller.topActivityResumed(true);
    }
  }

  void newIntent(Intent intent) {
    controller.newIntent(intent);
  }

  void pause() {
    if (state == State.RESUMED) {
      controller.topActivityResumed(false);
      controller.pause();
      state = State.PAUSED;
    }
  }

  void leave() {
    controller.userLeaving();
  }

  void stop() {
    pause();
    if (state == State.PAUSED) {
      controller.stop();
      // Kept by a phone for when the process is gone; apps notice that they are asked.
      controller.saveInstanceState(new Bundle());
      show(false);
      state = State.STOPPED;
    }
  }

  void destroy() {
    if (state == State.GONE || controller == null) {
      return;
    }
    if (state != State.NEW) {
      stop();
    }
    state = State.GONE;
    controller.destroy();
  }

  /**
   * Whether the display is another one than it was made for, and it does not want to deal with that
   * itself.
   */
  boolean isOutdated() {
    Configuration now = Resources.getSystem().getConfiguration();
    int changes = configuration.diff(now);
    return changes != 0
        && (changes & ~info.getRealConfigChanged() & ~ActivityInfo.CONFIG_WINDOW_CONFIGURATION)
            != 0;
  }

  void reconfigure() {
    Configuration now = Resources.getSystem().getConfiguration();
    if (configuration.diff(now) == 0) {
      return;
    }
    configuration = new Configuration(now);
    Activity activity = activity();
    activity.getResources().updateConfiguration(now, activity.getResources().getDisplayMetrics());
    activity.onConfigurationChanged(now);
    View decor = activity.getWindow().peekDecorView();
    if (decor != null && decor.getViewRootImpl() != null) {
      decor.getViewRootImpl().updateConfiguration(android.view.Display.INVALID_DISPLAY);
    }
  }

  /** Ends it and makes it again with what it saved. */
  void relaunch() {
    boolean resumed = state == State.RESUMED;
    ReflectionHelpers.setField(Activity.class, activity(), "mChangingConfigurations", true);
    pause();
    if (state == State.PAUSED) {
      controller.stop();
    }
    Bundle saved = new Bundle();
    controller.saveInstanceState(saved);
    Object retained =
        ReflectionHelpers.callInstanceMethod(
            Activity.class, activity(), "retainNonConfigurationInstances");
    Activity old = activity();
    end();
    state = State.NEW;
    create(ReflectionHelpers.callConstructor(old.getClass()), saved, retained);
    if (resumed || state == State.NEW) {
      resume();
    }
  }

  /** What only this phone lacks for its end keeps no activity from coming back. */
  private void end() {
    try {
      controller.destroy();
    } catch (Throwable e) {
      if (Missing.in(e) == null) {
        throw e;
      }
      Windows.close(token());
    }
  }

  private void makeVisible() {
    Activity activity = activity();
    boolean wanted = ReflectionHelpers.getField(activity, "mVisibleFromClient");
    if (activity.isFinishing() || !wanted) {
      return;
    }
    activity.getWindow().getAttributes().type = TYPE_BASE_APPLICATION;
    ReflectionHelpers.setField(
        Activity.class, activity, "mDecor", activity.getWindow().getDecorView());
    ReflectionHelpers.callInstanceMethod(Activity.class, activity, "makeVisible");
  }

  private void show(boolean visible) {
    View decor = activity().getWindow().peekDecorView();
    if (decor != null) {
      decor.setVisibility(visible ? View.VISIBLE : View.INVISIBLE);
    }
  }
}
