package dev.retap.jvmphone.prepare;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Changes five methods of Robolectric in copies of their classes that precede its own on the class
 * path. Two look up resources and read entire tables. One waits for an idle main thread, which
 * never ends while an app keeps drawing. One copies a theme and creates a quarter of a megabyte of
 * empty lists each time. One links a method of the framework to its shadow, with a guard of a
 * kilobyte for shadows that change, which never happens here.
 */
public final class Patches {
  private static final String PACKAGE = "org/robolectric/res/android/";
  private static final String LOOKUP = PACKAGE + "ResourceLookup";
  private static final String CLOCK = "dev/retap/jvmphone/server/PhoneClock";
  private static final String TYPE = PACKAGE + "ResourceTypes$ResTable_type";
  private static final String SPEC = PACKAGE + "ResourceTypes$ResTable_typeSpec";

  private Patches() {}

  /** Writes the changed classes below the given directory. */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    String offset = "(L" + TYPE + ";I)I";
    write(
        folder,
        PACKAGE + "LoadedArsc$LoadedPackage",
        "GetEntryOffset",
        offset,
        code -> {
          code.visitVarInsn(Opcodes.ALOAD, 0);
          code.visitVarInsn(Opcodes.ILOAD, 1);
          code.visitMethodInsn(Opcodes.INVOKESTATIC, LOOKUP, "entryOffset", offset, false);
          code.visitInsn(Opcodes.IRETURN);
          return false;
        });
    String typeSpec = PACKAGE + "LoadedArsc$TypeSpec";
    write(
        folder,
        typeSpec,
        "GetFlagsForEntryIndex",
        "(I)I",
        code -> {
          code.visitVarInsn(Opcodes.ALOAD, 0);
          code.visitFieldInsn(Opcodes.GETFIELD, typeSpec, "type_spec", "L" + SPEC + ";");
          code.visitVarInsn(Opcodes.ILOAD, 1);
          code.visitMethodInsn(Opcodes.INVOKESTATIC, LOOKUP, "flags", "(L" + SPEC + ";I)I", false);
          code.visitInsn(Opcodes.IRETURN);
          return false;
        });
    write(
        folder,
        "org/robolectric/shadows/ShadowPausedLooper",
        "idle",
        "()V",
        code -> {
          Label unknown = new Label();
          code.visitMethodInsn(Opcodes.INVOKESTATIC, CLOCK, "idle", "()Z", false);
          code.visitJumpInsn(Opcodes.IFEQ, unknown);
          code.visitInsn(Opcodes.RETURN);
          code.visitLabel(unknown);
          code.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
          return true;
        });
    String site = "org/robolectric/internal/bytecode/RoboCallSite";
    String handle = "java/lang/invoke/MethodHandle";
    String bind = "(L" + site + ";L" + handle + ";L" + handle + ";)L" + handle + ";";
    write(
        folder,
        "org/robolectric/internal/bytecode/InvokeDynamicSupport",
        "bindWithFallback",
        bind,
        code -> {
          code.visitVarInsn(Opcodes.ALOAD, 1);
          code.visitVarInsn(Opcodes.ALOAD, 0);
          String type = "java/lang/invoke/MethodType";
          code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, site, "type", "()L" + type + ";", false);
          code.visitMethodInsn(
              Opcodes.INVOKEVIRTUAL, handle, "asType", "(L" + type + ";)L" + handle + ";", false);
          code.visitVarInsn(Opcodes.ASTORE, 1);
          code.visitVarInsn(Opcodes.ALOAD, 0);
          code.visitVarInsn(Opcodes.ALOAD, 1);
          code.visitMethodInsn(
              Opcodes.INVOKEVIRTUAL, site, "setTarget", "(L" + handle + ";)V", false);
          code.visitVarInsn(Opcodes.ALOAD, 1);
          code.visitInsn(Opcodes.ARETURN);
          return false;
        });
    String theme = PACKAGE + "CppAssetManager2$Theme";
    change(
        folder,
        theme,
        "SetTo",
        "(L" + theme + ";)Z",
        code -> new WithoutEmptyPackages(theme + "$ThemePackage", code));
  }

  /** New body of a method, or code that runs before the old one. */
  private interface Body {
    boolean write(MethodVisitor code);
  }

  private static void write(Path folder, String name, String method, String descriptor, Body body)
      throws IOException {
    change(
        folder,
        name,
        method,
        descriptor,
        code -> {
          code.visitCode();
          if (body.write(code)) {
            return new MethodVisitor(Opcodes.ASM9, code) {
              @Override
              public void visitCode() {
                // The method has already started.
              }
            };
          }
          code.visitMaxs(0, 0);
          code.visitEnd();
          return null;
        });
  }

  private static void change(
      Path folder, String name, String method, String descriptor, UnaryOperator<MethodVisitor> body)
      throws IOException {
    try (InputStream in = Patches.class.getClassLoader().getResourceAsStream(name + ".class")) {
      if (in == null) {
        throw new IOException(
            "there is no " + name + " on the class path; has Robolectric changed?");
      }
      ClassReader reader = new ClassReader(in.readAllBytes());
      ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
      Replaced replaced = new Replaced(writer, method, descriptor, body);
      reader.accept(replaced, 0);
      if (!replaced.done) {
        throw new IOException(
            name + " has no " + method + descriptor + "; has Robolectric changed?");
      }
      Path file = folder.resolve(name + ".class");
      Files.createDirectories(file.getParent());
      Files.write(file, writer.toByteArray());
    }
  }

  private static final class Replaced extends ClassVisitor {
    private final String method;
    private final String descriptor;
    private final UnaryOperator<MethodVisitor> body;
    private boolean done;

    Replaced(
        ClassVisitor next, String method, String descriptor, UnaryOperator<MethodVisitor> body) {
      super(Opcodes.ASM9, next);
      this.method = method;
      this.descriptor = descriptor;
      this.body = body;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String type, String signature, String[] thrown) {
      MethodVisitor code = super.visitMethod(access, name, type, signature, thrown);
      if (!name.equals(method) || !type.equals(descriptor)) {
        return code;
      }
      done = true;
      return body.apply(code);
    }
  }

  /**
   * Stores null instead of the first package that the method creates: it is for themes without that
   * package, and null is equivalent.
   */
  private static final class WithoutEmptyPackages extends MethodVisitor {
    private final String kind;

    /** Number of instructions seen of the first construction: new, dup, null, constructor. */
    private int seen;

    WithoutEmptyPackages(String kind, MethodVisitor next) {
      super(Opcodes.ASM9, next);
      this.kind = kind;
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
      if (opcode == Opcodes.NEW && type.equals(kind) && seen == 0) {
        seen = 1;
        return;
      }
      super.visitTypeInsn(opcode, type);
    }

    @Override
    public void visitInsn(int opcode) {
      if (seen == 1 && opcode == Opcodes.DUP) {
        seen = 2;
        return;
      }
      super.visitInsn(opcode);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String type, boolean isInterface) {
      if (seen == 2 && owner.equals(kind)) {
        // The constructor's null argument stays on the stack and is stored.
        seen = 3;
        return;
      }
      super.visitMethodInsn(opcode, owner, name, type, isInterface);
    }

    @Override
    public void visitEnd() {
      if (seen != 3) {
        throw new IllegalStateException("themes are copied differently; has Robolectric changed?");
      }
      super.visitEnd();
    }
  }
}
