package dev.retap.jvmphone.prepare;

import com.googlecode.d2j.Method;
import com.googlecode.d2j.dex.DexExceptionHandler;
import com.googlecode.d2j.dex.ExDex2Asm;
import com.googlecode.d2j.dex.LambadaNameSafeClassAdapter;
import com.googlecode.d2j.node.DexClassNode;
import com.googlecode.d2j.node.DexFileNode;
import com.googlecode.d2j.node.DexMethodNode;
import com.googlecode.d2j.reader.DexFileReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.zip.ZipOutputStream;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Translates dex files to class files, with the source files and lines that stack traces need. */
final class Dex implements DexExceptionHandler {
  private final Apk apk;
  private final Consumer<String> progress;
  private final Counted counted;
  private final Set<String> seen = new HashSet<>();
  private Exception broken;
  private int untranslated;

  Dex(Apk apk, Consumer<String> progress, Counted counted) {
    this.apk = apk;
    this.progress = progress;
    this.counted = counted;
  }

  /**
   * Translates all classes into one jar. Returns the number of methods that could not be
   * translated.
   */
  int translate(List<String> names, Path to) throws IOException, Refused {
    try (ZipOutputStream jar = new ZipOutputStream(Files.newOutputStream(to))) {
      for (String name : names) {
        progress.accept(
            "translating " + name + " (" + (names.indexOf(name) + 1) + " of " + names.size() + ")");
        translate(name, jar);
      }
    }
    return untranslated;
  }

  private void translate(String name, ZipOutputStream jar) throws Refused {
    byte[] bytes = apk.read(name);
    try {
      DexFileNode dex = new DexFileNode();
      new DexFileReader(bytes).accept(dex);
      // A phone takes the first of two classes with the same name.
      dex.clzs.removeIf(node -> !seen.add(node.className));
      Map<String, String> sources = new HashMap<>();
      for (DexClassNode node : dex.clzs) {
        sources.put(node.className, node.source);
      }
      new ExDex2Asm(this).convertDex(dex, ignored -> new Written(sources, jar, counted));
    } catch (UncheckedIOException e) {
      throw e;
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      throw apk.damaged(name, e);
    }
    if (broken != null) {
      throw apk.damaged(name, broken);
    }
  }

  /** Writes a class into the jar when it is complete. */
  private static final class Written extends ClassVisitor {
    private final ClassWriter writer;
    private final LambadaNameSafeClassAdapter renamed;
    private final Map<String, String> sources;
    private final ZipOutputStream jar;
    private final Counted counted;

    private Written(Map<String, String> sources, ZipOutputStream jar, Counted counted) {
      super(Opcodes.ASM9);
      this.sources = sources;
      this.jar = jar;
      this.counted = counted;
      writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
      renamed = new LambadaNameSafeClassAdapter(writer, false);
      cv = renamed;
    }

    /** Adds the source file's name, which the translator omits. */
    @Override
    public void visit(
        int version,
        int access,
        String name,
        String signature,
        String superName,
        String[] interfaces) {
      super.visit(version, access, name, signature, superName, interfaces);
      String source = sources.get("L" + name + ";");
      if (source != null) {
        super.visitSource(source, null);
      }
    }

    @Override
    public void visitEnd() {
      super.visitEnd();
      String name = renamed.getClassName();
      try {
        Apk.put(jar, name + ".class", counted.apply(name, writer.toByteArray()), true);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void handleFileException(Exception e) {
    broken = e;
  }

  /**
   * Keeps the method and makes it throw an error that counts as unsupported, not as a failure of
   * the app.
   */
  @Override
  public void handleMethodTranslateException(
      Method method, DexMethodNode node, MethodVisitor code, Exception e) {
    untranslated++;
    String type = "java/lang/UnsupportedOperationException";
    code.visitTypeInsn(Opcodes.NEW, type);
    code.visitInsn(Opcodes.DUP);
    code.visitLdcInsn(
        "not supported by the JVM phone: "
            + method.getOwner()
            + method.getName()
            + method.getDesc()
            + " could not be translated from dex");
    code.visitMethodInsn(Opcodes.INVOKESPECIAL, type, "<init>", "(Ljava/lang/String;)V", false);
    code.visitInsn(Opcodes.ATHROW);
  }
}
