package dev.retap.jvmphone.prepare;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertSame;

import dev.retap.jvmphone.app.Probes;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.junit.Before;
import org.junit.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

public class CountedTest {
  /**
   * Class of an app with three probes: one at the end of its constructor and one at the end of each
   * branch.
   */
  public static class Forked {
    public static int branch(boolean left) {
      if (left) {
        return 1;
      }
      return 2;
    }
  }

  private final Counted counted = new Counted();

  @Before
  public void nothingHasRun() {
    Probes.end();
    Probes.take();
  }

  @Test
  public void eachStepReportsTheBranchesThatRanInIt() throws Exception {
    Class<?> app = process(counted.apply("example/Forked", forked()));
    assertEquals(3, counted.probes());
    int[] left = ranBy(app, true);
    int[] right = ranBy(app, false);
    assertEquals(1, left.length);
    assertEquals(1, right.length);
    assertNotEquals(left[0], right[0]);
    assertArrayEquals("a branch that runs again is reported again", left, ranBy(app, true));
    assertArrayEquals(new int[] {}, Probes.take());
  }

  @Test
  public void everyProcessHasTheSameNumbersAndStartsAnew() throws Exception {
    byte[] bytes = counted.apply("example/Forked", forked());
    Class<?> first = process(bytes);
    int[] left = ranBy(first, true);
    run(first, true);
    Probes.end();
    assertArrayEquals("what ran before the process ended is not lost", left, Probes.take());
    assertArrayEquals(left, ranBy(process(bytes), true));
    assertArrayEquals("what has ended is not heard of again", new int[] {}, ranBy(first, false));
  }

  @Test
  public void numbersContinueFromClassToClass() throws Exception {
    counted.apply("example/Other", forked());
    Class<?> second = process(counted.apply("example/Forked", forked()));
    assertEquals(6, counted.probes());
    int[] ran = {ranBy(second, true)[0], ranBy(second, false)[0]};
    Arrays.sort(ran);
    assertArrayEquals(new int[] {4, 5}, ran);
  }

  @Test
  public void librariesAndClassesWithProbesOfTheirOwnAreLeftAsTheyAre() throws Exception {
    byte[] plain = forked();
    assertSame(plain, counted.apply("androidx/core/Forked", plain));
    assertEquals(0, counted.probes() + counted.uncounted());
    byte[] built = counted.apply("example/Forked", plain);
    assertSame(built, counted.apply("example/Forked", built));
    assertEquals(3, counted.probes());
    assertEquals(1, counted.uncounted());
  }

  private static int[] ranBy(Class<?> app, boolean left) throws ReflectiveOperationException {
    run(app, left);
    return Probes.take();
  }

  private static void run(Class<?> app, boolean left) throws ReflectiveOperationException {
    assertEquals(left ? 1 : 2, app.getMethod("branch", boolean.class).invoke(null, left));
  }

  /** Loads the class with its initial statics, as in a new process. */
  private static Class<?> process(byte[] bytes) {
    return new ClassLoader(Probes.class.getClassLoader()) {
      Class<?> define() {
        return defineClass(null, bytes, 0, bytes.length);
      }
    }.define();
  }

  /** Class file of Forked, in the version that dex files are translated to. */
  private static byte[] forked() throws IOException {
    try (InputStream in = CountedTest.class.getResourceAsStream("CountedTest$Forked.class")) {
      ClassWriter writer = new ClassWriter(0);
      new ClassReader(in.readAllBytes())
          .accept(
              new ClassVisitor(Opcodes.ASM9, writer) {
                @Override
                public void visit(
                    int version,
                    int access,
                    String name,
                    String signature,
                    String parent,
                    String[] others) {
                  super.visit(Opcodes.V1_6, access, name, signature, parent, others);
                }
              },
              0);
      return writer.toByteArray();
    }
  }
}
