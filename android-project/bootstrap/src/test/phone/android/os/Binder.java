package android.os;

/** Binder without a remote end. */
public class Binder {
  public void attachInterface(IInterface owner, String descriptor) {}

  protected boolean onTransact(int code, Parcel data, Parcel reply, int flags)
      throws RemoteException {
    return false;
  }
}
