import java.nio.file.Path;
import maestro.orchestra.MaestroCommand;
import maestro.orchestra.yaml.YamlCommandReader;

/** Prints the commands of a flow as Maestro's own reader understands them, one a line. */
public final class MaestroFlow {
  private MaestroFlow() {}

  public static void main(String[] arguments) {
    for (MaestroCommand command : YamlCommandReader.INSTANCE.readCommands(Path.of(arguments[0]))) {
      System.out.println(command.description());
    }
  }
}
