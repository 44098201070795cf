package dev.retap.jvmphone.server;

import android.app.WallpaperManager;
import android.appwidget.AppWidgetManager;
import android.bluetooth.BluetoothAdapter;
import android.content.Intent;
import android.media.RingtoneManager;
import android.provider.AlarmClock;
import android.speech.tts.TextToSpeech;
import java.util.Set;

/**
 * Intents that a phone's own apps handle: browser, dialer, settings, gallery, installer, chooser.
 */
final class OtherApps {
  private static final Set<String> ACTIONS =
      Set.of(
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
          Intent.ACTION_INSERT_OR_EDIT,
          Intent.ACTION_EDIT,
          Intent.ACTION_SET_WALLPAPER,
          Intent.ACTION_DELETE,
          Intent.ACTION_UNINSTALL_PACKAGE,
          Intent.ACTION_INSTALL_PACKAGE,
          Intent.ACTION_POWER_USAGE_SUMMARY,
          Intent.ACTION_OPEN_DOCUMENT_TREE,
          RingtoneManager.ACTION_RINGTONE_PICKER,
          AlarmClock.ACTION_SET_ALARM,
          AppWidgetManager.ACTION_APPWIDGET_PICK,
          BluetoothAdapter.ACTION_REQUEST_ENABLE,
          BluetoothAdapter.ACTION_REQUEST_DISCOVERABLE,
          TextToSpeech.Engine.ACTION_CHECK_TTS_DATA,
          TextToSpeech.Engine.ACTION_INSTALL_TTS_DATA,
          WallpaperManager.ACTION_CHANGE_LIVE_WALLPAPER,
          WallpaperManager.ACTION_LIVE_WALLPAPER_CHOOSER,
          "android.media.action.IMAGE_CAPTURE",
          "android.media.action.VIDEO_CAPTURE",
          "android.app.action.ADD_DEVICE_ADMIN",
          "android.content.pm.action.REQUEST_PERMISSIONS");
  private static final Set<String> SCHEMES =
      Set.of(
          "http",
          "https",
          "tel",
          "mailto",
          "geo",
          "sms",
          "smsto",
          "mms",
          "mmsto",
          "content",
          "market",
          "voicemail");

  /** MIME types that a gallery, a player or a reader shows. */
  private static final Set<String> KINDS = Set.of("image", "video", "audio", "text");

  private static final String PACKAGE = "application/vnd.android.package-archive";

  private OtherApps() {}

  static boolean handle(Intent intent) {
    String action = intent.getAction();
    if (action == null) {
      return false;
    }
    boolean views =
        action.equals(Intent.ACTION_VIEW)
            && (SCHEMES.contains(String.valueOf(intent.getScheme())) || isKnown(intent.getType()));
    boolean goesHome = intent.hasCategory(Intent.CATEGORY_HOME);
    return views || goesHome || ACTIONS.contains(action) || action.startsWith("android.settings.");
  }

  private static boolean isKnown(String type) {
    return type != null && (type.equals(PACKAGE) || KINDS.contains(type.split("/")[0]));
  }
}
