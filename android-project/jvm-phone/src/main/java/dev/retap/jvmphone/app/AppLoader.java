package dev.retap.jvmphone.app;

import dev.retap.jvmphone.Phone;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Class loader of the app: the framework's classes first, then the app's, then libraries that
 * phones have for old apps. Calls that would leave the phone are redirected.
 */
final class AppLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  /** Bytes of the classes that earlier processes have loaded. */
  private static final Map<String, byte[]> REDIRECTED = new ConcurrentHashMap<>();

  /** Whether a class is the app's and not the framework's; the same for every process. */
  private static final Map<String, Boolean> OWN = new ConcurrentHashMap<>();

  /**
   * Protection domain without this loader: every thread keeps the domains of its creator, and the
   * framework's threads live forever.
   */
  private final ProtectionDomain domain;

  private AppLoader(URL classes, URL apk, ClassLoader framework) {
    super(new URL[] {classes, apk}, framework);
    this.domain = new ProtectionDomain(new CodeSource(classes, (Certificate[]) null), null);
  }

  /** Loader without loaded classes: every static has its initial value, as in a new process. */
  static AppLoader create() {
    Path app = Path.of(System.getProperty(Phone.APP));
    try {
      URL classes = app.resolve("classes.jar").toUri().toURL();
      URL apk = app.resolve("app.apk").toUri().toURL();
      return new AppLoader(classes, apk, AppLoader.class.getClassLoader());
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Prefers the app's libraries to those that only the phone's own class path has. */
  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded == null && isOwn(name)) {
        loaded = findClass(name);
      }
      if (loaded == null) {
        return super.loadClass(name, resolve);
      }
      return loaded;
    }
  }

  /** Whether the app has a class of this name that any process has loaded. */
  static boolean hasLoaded(String name) {
    return REDIRECTED.containsKey(name);
  }

  private boolean isOwn(String name) {
    String file = name.replace('.', '/') + ".class";
    return OWN.computeIfAbsent(
        name,
        ignored -> !name.startsWith("java.") && findResource(file) != null && !Framework.has(file));
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    byte[] bytes = REDIRECTED.get(name);
    if (bytes == null) {
      bytes = redirected(name);
      REDIRECTED.put(name, bytes);
    }
    return defineClass(name, bytes, 0, bytes.length, domain);
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
