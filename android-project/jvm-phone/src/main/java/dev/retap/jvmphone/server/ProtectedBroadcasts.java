package dev.retap.jvmphone.server;

import android.content.res.Resources;
import android.content.res.XmlResourceParser;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.xmlpull.v1.XmlPullParser;
import org.xmlpull.v1.XmlPullParserException;

/** Broadcasts that only the system may send, from the framework's manifest. */
final class ProtectedBroadcasts {
  private static final String ANDROID = "http://schemas.android.com/apk/res/android";

  private static Set<String> actions;

  private ProtectedBroadcasts() {}

  static boolean has(String action) {
    if (actions == null) {
      actions = read();
    }
    return actions.contains(action);
  }

  private static Set<String> read() {
    Set<String> found = new HashSet<>();
    try (XmlResourceParser manifest =
        Resources.getSystem().getAssets().openXmlResourceParser("AndroidManifest.xml")) {
      while (manifest.next() != XmlPullParser.END_DOCUMENT) {
        if (manifest.getEventType() == XmlPullParser.START_TAG
            && manifest.getName().equals("protected-broadcast")) {
          found.add(manifest.getAttributeValue(ANDROID, "name"));
        }
      }
    } catch (IOException | XmlPullParserException e) {
      throw new IllegalStateException("the framework has no manifest", e);
    }
    return found;
  }
}
