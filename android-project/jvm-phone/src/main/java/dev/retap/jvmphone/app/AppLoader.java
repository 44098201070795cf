package dev.retap.jvmphone.app;

import dev.retap.jvmphone.Phone;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.cert.Certificate;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The app's classes, framework first, with what would reach past the phone led back into it. */
final class AppLoader extends URLClassLoader {
    static {
        registerAsParallelCapable();
    }

    /** What earlier processes have loaded: reading it once is enough. */
    private static final Map<String, byte[]> REDIRECTED = new ConcurrentHashMap<>();

    private final URL classes;

    private AppLoader(URL classes, URL apk, ClassLoader framework) {
        super(new URL[] {classes, apk}, framework);
        this.classes = classes;
    }

    /** With no class loaded yet, so that every static is as it is in a new process. */
    static AppLoader fresh() {
        Path app = Path.of(System.getProperty(Phone.APP));
        try {
            URL classes = app.resolve("classes.jar").toUri().toURL();
            URL apk = app.resolve("app.apk").toUri().toURL();
            return new AppLoader(classes, apk, AppLoader.class.getClassLoader());
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = REDIRECTED.get(name);
        if (bytes == null) {
            bytes = redirected(name);
            REDIRECTED.put(name, bytes);
        }
        return defineClass(name, bytes, 0, bytes.length, new CodeSource(classes, (Certificate[]) null));
    }

    private byte[] redirected(String name) throws ClassNotFoundException {
        URL found = findResource(name.replace('.', '/') + ".class");
        if (found == null) {
            throw new ClassNotFoundException(name);
        }
        try (InputStream in = found.openStream()) {
            return Redirect.apply(in.readAllBytes());
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
