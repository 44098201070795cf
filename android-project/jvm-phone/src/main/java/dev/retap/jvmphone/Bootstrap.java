package dev.retap.jvmphone;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** The bootstrap's main, by name: it is built for phones, on its own, and is on the class path as it is. */
final class Bootstrap {
    private Bootstrap() {}

    static void main(String[] args) {
        try {
            Method main = Class.forName("dev.retap.agent.Main").getMethod("main", String[].class);
            main.invoke(null, (Object) args);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("the bootstrap failed", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the bootstrap's classes are not on the class path", e);
        }
    }
}
