package dev.retap.jvmphone.shadows;

import android.content.Context;
import android.media.AudioAttributes;
import android.media.MediaPlayer;
import android.net.Uri;
import android.view.SurfaceHolder;
import dev.retap.jvmphone.server.Unsupported;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowMediaPlayer;

/** Reports playback as unsupported, instead of the null for a file that cannot be read. */
@Implements(className = "android.media.MediaPlayer", isInAndroidSdk = false)
public class ShadowPhoneMediaPlayer extends ShadowMediaPlayer {
  @Implementation
  protected static MediaPlayer create(Context context, int resource) {
    throw new Unsupported("MediaPlayer", null);
  }

  @Implementation
  protected static MediaPlayer create(Context context, Uri uri) {
    throw new Unsupported("MediaPlayer", null);
  }

  @Implementation
  protected static MediaPlayer create(
      Context context, int resource, AudioAttributes attributes, int session) {
    throw new Unsupported("MediaPlayer", null);
  }

  @Implementation
  protected static MediaPlayer create(
      Context context, Uri uri, SurfaceHolder holder, AudioAttributes attributes, int session) {
    throw new Unsupported("MediaPlayer", null);
  }
}
