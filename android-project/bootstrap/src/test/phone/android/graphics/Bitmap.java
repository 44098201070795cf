package android.graphics;

/**
 * Fake bitmap: left half red, right half blue. Pixels can only be read from an ARGB_8888 copy, as
 * with hardware bitmaps.
 */
public final class Bitmap {
  public enum Config {
    ARGB_8888
  }

  private final int width;
  private final int height;
  private boolean plain;

  public Bitmap(int width, int height) {
    this.width = width;
    this.height = height;
  }

  public int getWidth() {
    return width;
  }

  public int getHeight() {
    return height;
  }

  public Bitmap copy(Config config, boolean mutable) {
    Bitmap copy = new Bitmap(width, height);
    copy.plain = config == Config.ARGB_8888;
    return copy;
  }

  public void getPixels(int[] pixels, int offset, int stride, int x, int y, int width, int height) {
    if (!plain) {
      throw new IllegalStateException("pixels of this bitmap cannot be read");
    }
    for (int i = 0; i < width * height; i++) {
      pixels[i] = i % width < width / 2 ? 0xffff0000 : 0xff0000ff;
    }
  }

  public void recycle() {}
}
