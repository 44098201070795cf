package dev.retap.jvmphone.prepare;

import java.util.ArrayList;
import java.util.List;

/** Compiled XML file as a flat list of elements. */
final class BinaryXml {
  /** Nesting limit: deeper than any manifest. A path is kept for each element. */
  private static final int DEEPEST = 50;

  private final List<Element> elements = new ArrayList<>();
  private StringPool texts;
  private Chunk resourceIds;

  BinaryXml(byte[] file) {
    List<Element> open = new ArrayList<>();
    for (Chunk chunk : Chunk.of(file, Chunk.XML).content()) {
      switch (chunk.type) {
        case Chunk.STRING_POOL -> texts = texts == null ? new StringPool(chunk) : texts;
        case Chunk.XML_RESOURCE_MAP -> resourceIds = chunk;
        case Chunk.XML_START_ELEMENT -> start(chunk, open);
        case Chunk.XML_END_ELEMENT -> open.remove(open.size() - 1);
        default -> {}
      }
    }
  }

  private void start(Chunk chunk, List<Element> open) {
    if (open.size() == DEEPEST) {
      throw new IllegalArgumentException("elements lie more than " + DEEPEST + " deep");
    }
    Element parent = open.isEmpty() ? null : open.get(open.size() - 1);
    Element element = new Element(parent, chunk);
    elements.add(element);
    open.add(element);
  }

  /** Elements at a path: names from the root on, separated by slashes. */
  List<Element> at(String path) {
    return elements.stream().filter(element -> element.path.equals(path)).toList();
  }

  final class Element {
    final Element parent;
    final String path;
    private final Chunk chunk;

    private Element(Element parent, Chunk chunk) {
      this.parent = parent;
      this.chunk = chunk;
      String name = texts.get(chunk.i32(chunk.headerSize + 4));
      path = parent == null ? name : parent.path + "/" + name;
    }

    /** Attribute of Android, by its resource id: its name may have been stripped. */
    Value attribute(int id) {
      int at = place(name -> id(name) == id);
      return at == 0 ? null : Value.at(chunk, at + 12);
    }

    /** Attribute that is not Android's, by its name. */
    String attribute(String wanted) {
      int at = place(name -> id(name) == 0 && wanted.equals(texts.get(name)));
      return at == 0 ? null : text(Value.at(chunk, at + 12));
    }

    /** Text of a value; null if it is not a string of this file. */
    String text(Value value) {
      return value != null && value.isString() ? texts.get(value.data()) : null;
    }

    private int place(java.util.function.IntPredicate isIt) {
      int first = chunk.headerSize + chunk.u16(chunk.headerSize + 8);
      int size = chunk.u16(chunk.headerSize + 10);
      int count = chunk.u16(chunk.headerSize + 12);
      for (int i = 0; i < count; i++) {
        int at = first + i * size;
        if (isIt.test(chunk.i32(at + 4))) {
          return at;
        }
      }
      return 0;
    }

    private int id(int name) {
      int at = resourceIds == null ? 0 : resourceIds.headerSize + 4 * name;
      return at > 0 && at + 4 <= resourceIds.size ? resourceIds.i32(at) : 0;
    }
  }
}
