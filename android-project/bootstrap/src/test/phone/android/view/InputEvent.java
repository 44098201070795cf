package android.view;

public abstract class InputEvent {
  public void recycle() {}
}
