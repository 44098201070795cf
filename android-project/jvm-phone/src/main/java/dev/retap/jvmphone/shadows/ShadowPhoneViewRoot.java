package dev.retap.jvmphone.shadows;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.graphics.Rect;
import android.graphics.RenderNode;
import android.view.InputEvent;
import android.view.View;
import android.view.ViewRootImpl;
import android.window.SurfaceSyncGroup;
import dev.retap.jvmphone.server.InputServer;
import dev.retap.jvmphone.server.Windows;
import org.robolectric.annotation.ClassName;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowViewRootImpl;
import org.robolectric.util.reflector.Accessor;
import org.robolectric.util.reflector.Direct;
import org.robolectric.util.reflector.ForType;
import org.robolectric.util.reflector.WithType;

/**
 * Draws without a surface. The framework would not draw, and views that are not drawn once are
 * never drawn again: they would stop scrolling after the first frame, and failures in onDraw would
 * be missed. Also reports touch mode and finished input events to the phone.
 */
@Implements(className = "android.view.ViewRootImpl", isInAndroidSdk = false)
public class ShadowPhoneViewRoot extends ShadowViewRootImpl {
  private static final int PFLAG_INVALIDATED = 0x80000000;
  private static final int FLAG_FINISHED_HANDLED = 1 << 3;

  @Implementation
  protected boolean performDraw(SurfaceSyncGroup group) {
    Root root = reflector(Root.class, realObject);
    boolean drawn = root.performDraw(group);
    View view = realObject.getView();
    if (view != null && view.isAttachedToWindow()) {
      record(reflector(Recorded.class, view));
      root.getDirty().setEmpty();
    }
    return drawn;
  }

  /** Reports touch mode to the phone, in place of the window manager. */
  @Implementation
  protected boolean ensureTouchMode(boolean touched) {
    boolean consumed = reflector(Root.class, realObject).ensureTouchMode(touched);
    Windows.touchMode(touched);
    return consumed;
  }

  /** Reports whether an event was handled, in place of the input channel. */
  @Implementation
  protected void finishInputEvent(
      @ClassName("android.view.ViewRootImpl$QueuedInputEvent") Object queued) {
    Queued event = reflector(Queued.class, queued);
    InputServer.finish(event.getEvent(), (event.getFlags() & FLAG_FINISHED_HANDLED) != 0);
    reflector(Root.class, realObject).finishInputEvent(queued);
  }

  /** Records a view and its changed children, as the renderer does with its root view. */
  private static void record(Recorded view) {
    view.setRecreate((view.getFlags() & PFLAG_INVALIDATED) != 0);
    view.setFlags(view.getFlags() & ~PFLAG_INVALIDATED);
    view.updateDisplayListIfDirty();
    view.setRecreate(false);
  }

  @ForType(ViewRootImpl.class)
  interface Root {
    @Direct
    boolean performDraw(SurfaceSyncGroup group);

    @Direct
    boolean ensureTouchMode(boolean touched);

    @Direct
    void finishInputEvent(@WithType("android.view.ViewRootImpl$QueuedInputEvent") Object queued);

    @Accessor("mDirty")
    Rect getDirty();
  }

  @ForType(className = "android.view.ViewRootImpl$QueuedInputEvent")
  interface Queued {
    @Accessor("mEvent")
    InputEvent getEvent();

    @Accessor("mFlags")
    int getFlags();
  }

  @ForType(View.class)
  interface Recorded {
    RenderNode updateDisplayListIfDirty();

    @Accessor("mPrivateFlags")
    int getFlags();

    @Accessor("mPrivateFlags")
    void setFlags(int flags);

    @Accessor("mRecreateDisplayList")
    void setRecreate(boolean recreate);
  }
}
