package dev.retap.jvmphone.shadows;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.graphics.Rect;
import android.graphics.RenderNode;
import android.view.View;
import android.view.ViewRootImpl;
import android.window.SurfaceSyncGroup;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowViewRootImpl;
import org.robolectric.util.reflector.Accessor;
import org.robolectric.util.reflector.Direct;
import org.robolectric.util.reflector.ForType;

/**
 * Draws. There is no surface, so the framework would not, and what was not drawn once is never drawn again: views would
 * stop scrolling after the first frame, and what an app does wrong in onDraw would go unseen.
 */
@Implements(className = "android.view.ViewRootImpl", isInAndroidSdk = false)
public class ShadowPhoneViewRoot extends ShadowViewRootImpl {
    private static final int PFLAG_INVALIDATED = 0x80000000;

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

    /** As the renderer does with its root view: what changed is recorded anew, and all it is made of. */
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

        @Accessor("mDirty")
        Rect getDirty();
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
