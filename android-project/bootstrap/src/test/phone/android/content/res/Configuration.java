package android.content.res;

import java.util.Locale;

public final class Configuration {
  public float fontScale = 1.15f;
  public int uiMode = 0x20;
  public Locale locale = Locale.forLanguageTag("de-AT");
}
