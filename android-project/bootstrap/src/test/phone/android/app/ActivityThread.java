package android.app;

public final class ActivityThread {
    public static ActivityThread systemMain() {
        return new ActivityThread();
    }

    public ContextImpl getSystemContext() {
        return new ContextImpl();
    }
}
