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

/** Activity in the stack, with its lifecycle in the order of the framework's ActivityThread. */
final class Record {
  enum State {
    NEW,
    RESUMED,
    PAUSED,
    STOPPED,
    DESTROYED
  }

  /** Result that an activity returns to the one that started it. */
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

  /** Whether the activity exists and can receive calls. */
  boolean isAlive() {
    return controller != null && state != State.DESTROYED;
  }

  /** Whether the activity is finished once it is not visible any more. */
  boolean isNoHistory() {
    return (info.flags & ActivityInfo.FLAG_NO_HISTORY) != 0
        || (intent.getFlags() & Intent.FLAG_ACTIVITY_NO_HISTORY) != 0;
  }

  /** Whether the activity below is visible. */
  boolean isTranslucent() {
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
      // A phone keeps this for a killed process; apps notice the call.
      controller.saveInstanceState(new Bundle());
      show(false);
      state = State.STOPPED;
    }
  }

  void destroy() {
    if (state == State.DESTROYED || controller == null) {
      return;
    }
    if (state != State.NEW) {
      stop();
    }
    state = State.DESTROYED;
    controller.destroy();
  }

  /** Whether the configuration has changes that the activity does not handle itself. */
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

  /** Destroys the activity and creates it again with its saved state. */
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

  /** Destroys the activity. Features that only this phone lacks must not prevent the relaunch. */
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
