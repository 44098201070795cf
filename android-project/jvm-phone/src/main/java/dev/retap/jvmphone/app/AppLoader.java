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
 * The app's classes, framework first, then its own, then what phones have for old apps; with what
 * would reach past the phone led back into it.
 */
final class AppLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  /** What earlier processes have loaded: reading it once is enough. */
  private static final Map<String, byte[]> REDIRECTED = new ConcurrentHashMap<>();

  /** Whether a class is the app's and not the framework's; the same for every process. */
  private static final Map<String, Boolean> OWN = new ConcurrentHashMap<>();

  /**
   * Without this loader in it: every thread keeps the domains of whoever started it, the
   * framework's own for ever.
   */
  private final ProtectionDomain domain;

  private AppLoader(URL classes, URL apk, ClassLoader framework) {
    super(new URL[] {classes, apk}, framework);
    this.domain = new ProtectionDomain(new CodeSource(classes, (Certificate[]) null), null);
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

  /**
   * What the phone's side has on its class path beside the framework must not stand before the
   * app's own libraries.
   */
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

  /** Whether any process of the app has a class of this name that is its own. */
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
