package android.view;

public final class MotionEvent extends InputEvent {
  public static final class PointerProperties {
    public int id;
    public int toolType;
  }

  public static final class PointerCoords {
    public float x;
    public float y;
    public float pressure;
    public float size;
  }

  public int action;
  public float y;

  public static MotionEvent obtain(
      long downTime,
      long eventTime,
      int action,
      int count,
      PointerProperties[] properties,
      PointerCoords[] coords,
      int meta,
      int buttons,
      float xPrecision,
      float yPrecision,
      int device,
      int edges,
      int source,
      int flags) {
    MotionEvent event = new MotionEvent();
    event.action = action;
    event.y = coords[0].y;
    return event;
  }
}
