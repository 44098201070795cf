package dev.retap.jvmphone.prepare;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes compiled XML and resource tables, as aapt does. */
final class Compiled {
  static final int LABEL = 0x01010001;
  static final int NAME = 0x01010003;
  static final int ENABLED = 0x0101000e;
  static final int TARGET_ACTIVITY = 0x01010202;
  static final int MIN_SDK = 0x0101020c;
  static final int VERSION_CODE = 0x0101021b;
  static final int VERSION_NAME = 0x0101021c;
  static final int TARGET_SDK = 0x01010270;
  private static final int NONE = -1;

  private Compiled() {}

  /**
   * Element. Attributes with an Integer key are Android's, others have a name. Values: String,
   * Integer, Boolean, Reference.
   */
  record Element(String name, Map<Object, Object> attributes, List<Element> children) {
    static Element of(String name, Object... rest) {
      Element element = new Element(name, new LinkedHashMap<>(), new ArrayList<>());
      for (int i = 0; i < rest.length; i++) {
        if (rest[i] instanceof Element child) {
          element.children.add(child);
        } else {
          element.attributes.put(rest[i], rest[++i]);
        }
      }
      return element;
    }
  }

  record Reference(int id) {}

  static byte[] xml(Element root) {
    // Names of Android's attributes come first in the pool: the resource map is indexed by them.
    List<Integer> ids = new ArrayList<>();
    collectIds(root, ids);
    List<String> texts = new ArrayList<>();
    ids.forEach(id -> texts.add("android" + Integer.toHexString(id)));
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    element(root, ids, texts, body);
    ByteBuffer map = buffer(4 * ids.size());
    ids.forEach(map::putInt);
    byte[] none = {};
    return chunk(
        0x0003, none, pool(texts, false), chunk(0x0180, none, map.array()), body.toByteArray());
  }

  private static void collectIds(Element element, List<Integer> ids) {
    for (Object key : element.attributes.keySet()) {
      if (key instanceof Integer id && !ids.contains(id)) {
        ids.add(id);
      }
    }
    element.children.forEach(child -> collectIds(child, ids));
  }

  private static void element(
      Element element, List<Integer> ids, List<String> texts, ByteArrayOutputStream out) {
    ByteBuffer attributes = buffer(20 * element.attributes.size());
    element.attributes.forEach(
        (key, value) -> {
          int name = key instanceof Integer id ? ids.indexOf(id) : number(texts, (String) key);
          attributes.putInt(NONE).putInt(name).putInt(NONE).putShort((short) 8).put((byte) 0);
          if (value instanceof String text) {
            attributes.put((byte) 0x03).putInt(number(texts, text));
          } else if (value instanceof Reference reference) {
            attributes.put((byte) 0x01).putInt(reference.id);
          } else if (value instanceof Boolean yes) {
            attributes.put((byte) 0x12).putInt(yes ? -1 : 0);
          } else {
            attributes.put((byte) 0x10).putInt((Integer) value);
          }
        });
    byte[] line = buffer(8).putInt(1).putInt(NONE).array();
    ByteBuffer start =
        buffer(20)
            .putInt(NONE)
            .putInt(number(texts, element.name))
            .putShort((short) 20)
            .putShort((short) 20)
            .putShort((short) element.attributes.size());
    out.writeBytes(chunk(0x0102, line, start.array(), attributes.array()));
    element.children.forEach(child -> element(child, ids, texts, out));
    byte[] end = buffer(8).putInt(NONE).putInt(number(texts, element.name)).array();
    out.writeBytes(chunk(0x0103, line, end));
  }

  private static int number(List<String> texts, String text) {
    if (!texts.contains(text)) {
      texts.add(text);
    }
    return texts.lastIndexOf(text);
  }

  /**
   * Table of one package (0x7f) with one type (1) of strings; {@code null} is an entry that refers
   * to itself.
   */
  static byte[] table(int packageHeader, boolean utf8, String... values) {
    List<String> texts = new ArrayList<>();
    ByteBuffer offsets = buffer(4 * values.length);
    ByteBuffer entries = buffer(16 * values.length);
    for (int i = 0; i < values.length; i++) {
      offsets.putInt(16 * i);
      entries.putShort((short) 8).putShort((short) 0).putInt(0).putShort((short) 8).put((byte) 0);
      entries.put((byte) (values[i] == null ? 1 : 3));
      entries.putInt(values[i] == null ? 0x7f010000 + i : number(texts, values[i]));
    }
    byte[] typeNames = pool(List.of("string"), false);
    byte[] keys = pool(List.of("key"), false);
    ByteBuffer typeHeader =
        buffer(12 + 64)
            .put((byte) 1)
            .put((byte) 0)
            .putShort((short) 0)
            .putInt(values.length)
            .putInt(8 + 12 + 64 + offsets.capacity())
            .putInt(64);
    byte[] type = chunk(0x0201, typeHeader.array(), offsets.array(), entries.array());
    ByteBuffer header = buffer(packageHeader - 8).putInt(0x7f);
    header.position(260);
    header.putInt(packageHeader).putInt(1).putInt(packageHeader + typeNames.length).putInt(1);
    byte[] inPackage = chunk(0x0200, header.array(), typeNames, keys, type);
    return chunk(0x0002, buffer(4).putInt(1).array(), pool(texts, utf8), inPackage);
  }

  private static byte[] pool(List<String> texts, boolean utf8) {
    ByteBuffer offsets = buffer(4 * texts.size());
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    for (String text : texts) {
      offsets.putInt(data.size());
      byte[] bytes = text.getBytes(utf8 ? StandardCharsets.UTF_8 : StandardCharsets.UTF_16LE);
      if (utf8) {
        length(data, text.length());
        length(data, bytes.length);
      } else {
        data.writeBytes(buffer(2).putShort((short) text.length()).array());
      }
      data.writeBytes(bytes);
      data.writeBytes(new byte[2]);
    }
    data.writeBytes(new byte[-data.size() & 3]);
    ByteBuffer header =
        buffer(20)
            .putInt(texts.size())
            .putInt(0)
            .putInt(utf8 ? 1 << 8 : 0)
            .putInt(28 + offsets.capacity())
            .putInt(0);
    return chunk(0x0001, header.array(), offsets.array(), data.toByteArray());
  }

  private static void length(ByteArrayOutputStream out, int length) {
    if (length >= 0x80) {
      out.write(length >> 8 | 0x80);
    }
    out.write(length);
  }

  private static byte[] chunk(int type, byte[] header, byte[]... content) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (byte[] part : content) {
      body.writeBytes(part);
    }
    int headerSize = 8 + header.length;
    ByteBuffer chunk =
        buffer(headerSize + body.size()).putShort((short) type).putShort((short) headerSize);
    return chunk.putInt(headerSize + body.size()).put(header).put(body.toByteArray()).array();
  }

  private static ByteBuffer buffer(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }
}
