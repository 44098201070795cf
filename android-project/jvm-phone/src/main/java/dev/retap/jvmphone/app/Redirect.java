package dev.retap.jvmphone.app;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Redirects calls of the app that would read the machine's clock, wait for it, end the JVM, start
 * programs, or differ from run to run.
 */
final class Redirect extends ClassVisitor {
  private static final String RUNTIME = "dev/retap/jvmphone/app/AppRuntime";

  /** Seed of new Random(): arbitrary, but the same in every run. */
  private static final long SEED = 42;

  private Redirect(ClassVisitor next) {
    super(Opcodes.ASM9, next);
  }

  static byte[] apply(byte[] bytes) {
    ClassReader reader = new ClassReader(bytes);
    ClassWriter writer = new ClassWriter(reader, 0);
    reader.accept(new Redirect(writer), 0);
    return writer.toByteArray();
  }

  @Override
  public MethodVisitor visitMethod(
      int access, String name, String descriptor, String signature, String[] thrown) {
    return new Calls(super.visitMethod(access, name, descriptor, signature, thrown));
  }

  private static final class Calls extends MethodVisitor {
    private boolean seeded;

    Calls(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      if (opcode == Opcodes.INVOKESTATIC && isRedirected(owner, name, descriptor)) {
        super.visitMethodInsn(opcode, RUNTIME, name, descriptor, false);
      } else if (opcode == Opcodes.INVOKEVIRTUAL
          && owner.equals("java/lang/Runtime")
          && isEnd(name)) {
        super.visitMethodInsn(
            Opcodes.INVOKESTATIC, RUNTIME, name, "(Ljava/lang/Runtime;I)V", false);
      } else if (opcode == Opcodes.INVOKEVIRTUAL && startsProgram(owner, name)) {
        String all = "(L" + owner + ";" + descriptor.substring(1);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, RUNTIME, name, all, false);
      } else if (opcode == Opcodes.INVOKESPECIAL
          && owner.equals("java/util/Random")
          && descriptor.equals("()V")) {
        super.visitLdcInsn(SEED);
        super.visitMethodInsn(opcode, owner, name, "(J)V", false);
        seeded = true;
      } else {
        // Dex has no flag for methods of interfaces, so the translator guesses.
        boolean own = opcode == Opcodes.INVOKESTATIC || opcode == Opcodes.INVOKESPECIAL;
        super.visitMethodInsn(
            opcode, owner, name, descriptor, isInterface || own && isInterface(owner));
      }
    }

    @Override
    public void visitMaxs(int stack, int locals) {
      super.visitMaxs(seeded ? stack + 2 : stack, locals);
    }

    private static boolean isRedirected(String owner, String name, String descriptor) {
      return switch (owner + "." + name) {
        case "java/lang/System.currentTimeMillis",
            "java/lang/System.nanoTime",
            "java/lang/System.exit",
            "java/lang/Math.random",
            "java/util/UUID.randomUUID" ->
            true;
        case "java/lang/Thread.sleep" -> descriptor.equals("(J)V");
        case "android/os/Process.killProcess" -> true;
        default -> false;
      };
    }

    /**
     * Whether a class of the JDK is an interface. Methods of the app's interfaces are desugared for
     * old phones.
     */
    private static boolean isInterface(String owner) {
      if (!owner.startsWith("java/")) {
        return false;
      }
      try {
        return Class.forName(owner.replace('/', '.'), false, null).isInterface();
      } catch (ClassNotFoundException e) {
        return false;
      }
    }

    private static boolean startsProgram(String owner, String name) {
      return owner.equals("java/lang/Runtime") && name.equals("exec")
          || owner.equals("java/lang/ProcessBuilder") && name.equals("start");
    }

    private static boolean isEnd(String name) {
      return name.equals("exit") || name.equals("halt");
    }
  }
}
