package dev.retap.jvmphone.server;

import android.content.ContentProvider;
import android.content.ContentValues;
import android.database.Cursor;
import android.database.MatrixCursor;
import android.net.Uri;
import java.util.List;

/**
 * Provider for the phone's contacts, calls, messages, calendars and bookmarks: empty, and nothing
 * can be inserted.
 */
public final class EmptyProvider extends ContentProvider {
  public static final List<String> AUTHORITIES =
      List.of(
          "com.android.contacts",
          "contacts",
          "icc",
          "call_log",
          "com.android.voicemail",
          "sms",
          "mms",
          "mms-sms",
          "telephony",
          "com.android.calendar",
          "calendar",
          "browser",
          "com.android.browser",
          "user_dictionary",
          "downloads",
          "settings");

  @Override
  public boolean onCreate() {
    return true;
  }

  @Override
  public Cursor query(Uri uri, String[] columns, String where, String[] arguments, String order) {
    MatrixCursor none =
        new MatrixCursor(columns == null ? new String[] {"_id"} : columns) {
          /** Column 0 for unknown names: a query for all columns would return this one too. */
          @Override
          public int getColumnIndex(String name) {
            return Math.max(0, super.getColumnIndex(name));
          }
        };
    none.setNotificationUri(getContext().getContentResolver(), uri);
    return none;
  }

  @Override
  public String getType(Uri uri) {
    return null;
  }

  @Override
  public Uri insert(Uri uri, ContentValues values) {
    throw new Unsupported("writing to " + uri.getAuthority(), null);
  }

  @Override
  public int delete(Uri uri, String where, String[] arguments) {
    return 0;
  }

  @Override
  public int update(Uri uri, ContentValues values, String where, String[] arguments) {
    return 0;
  }
}
