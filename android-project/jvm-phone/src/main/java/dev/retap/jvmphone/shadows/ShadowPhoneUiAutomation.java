package dev.retap.jvmphone.shadows;

import android.graphics.Bitmap;
import android.os.UserHandle;
import dev.retap.jvmphone.server.Display;
import dev.retap.jvmphone.server.MainThread;
import dev.retap.jvmphone.server.Picture;
import dev.retap.jvmphone.server.Server;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/** What UiAutomation has no accessibility service for: pixels, rotation and permissions. The rest is its own code. */
@Implements(className = "android.app.UiAutomation")
public class ShadowPhoneUiAutomation {
    @Implementation
    protected Bitmap takeScreenshot() {
        return MainThread.call(Picture::take);
    }

    /** The display turns also if the app fails at that: then the call has no answer. */
    @Implementation
    protected boolean setRotation(int rotation) {
        return !Boolean.FALSE.equals(MainThread.call(() -> Display.rotate(rotation)));
    }

    @Implementation
    protected void grantRuntimePermissionAsUser(String packageName, String permission, UserHandle user) {
        MainThread.call(() -> Server.grant(permission));
    }
}
