package dev.retap.jvmphone.server;

import android.content.Intent;
import java.util.Set;

/** What the apps that come with a phone would take: a browser, a dialer, settings, a gallery, a chooser. */
final class OtherApps {
    private static final Set<String> ACTIONS = Set.of(
            Intent.ACTION_SEND,
            Intent.ACTION_SEND_MULTIPLE,
            Intent.ACTION_SENDTO,
            Intent.ACTION_DIAL,
            Intent.ACTION_CALL,
            Intent.ACTION_CHOOSER,
            Intent.ACTION_GET_CONTENT,
            Intent.ACTION_OPEN_DOCUMENT,
            Intent.ACTION_CREATE_DOCUMENT,
            Intent.ACTION_WEB_SEARCH,
            Intent.ACTION_PICK,
            Intent.ACTION_INSERT,
            "android.media.action.IMAGE_CAPTURE",
            "android.media.action.VIDEO_CAPTURE",
            "android.app.action.ADD_DEVICE_ADMIN",
            "android.content.pm.action.REQUEST_PERMISSIONS");
    private static final Set<String> SCHEMES = Set.of("http", "https", "tel", "mailto", "geo", "sms", "content", "market");

    private OtherApps() {}

    static boolean handle(Intent intent) {
        String action = intent.getAction();
        if (action == null) {
            return false;
        }
        boolean views = action.equals(Intent.ACTION_VIEW) && SCHEMES.contains(String.valueOf(intent.getScheme()));
        boolean goesHome = intent.hasCategory(Intent.CATEGORY_HOME);
        return views || goesHome || ACTIONS.contains(action) || action.startsWith("android.settings.");
    }
}
