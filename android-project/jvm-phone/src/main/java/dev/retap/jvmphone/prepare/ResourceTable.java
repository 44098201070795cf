package dev.retap.jvmphone.prepare;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Resource table (resources.arsc): resolves the manifest's references and repairs old tables. */
final class ResourceTable {
  /**
   * Size of package headers before Android 5, without the type id offset that the framework now
   * requires.
   */
  private static final int OLD_PACKAGE_HEADER = 284;

  private static final int PACKAGE_HEADER = 288;
  private static final int TYPE_NAMES = 268;
  private static final int ENTRY_NAMES = 276;

  private static final int NO_ENTRY = -1;
  private static final int SPARSE = 1;
  private static final int SHORT_OFFSETS = 2;
  private static final int COMPLEX = 1;
  private static final int COMPACT = 8;

  /** Limit for chains of references: in a hostile table they may be cyclic. */
  private static final int MOST_REFERENCES = 20;

  private final Chunk table;
  private final StringPool texts;

  ResourceTable(byte[] file) {
    table = Chunk.of(file, Chunk.TABLE);
    texts = new StringPool(table.at(table.headerSize));
  }

  /** Table with current headers; the same bytes if they are current already. */
  static byte[] widened(byte[] file) {
    Chunk table = Chunk.of(file, Chunk.TABLE);
    List<Integer> old = new ArrayList<>();
    int at = table.headerSize;
    for (Chunk chunk : table.content()) {
      if (chunk.type == Chunk.TABLE_PACKAGE && chunk.headerSize == OLD_PACKAGE_HEADER) {
        old.add(at);
      }
      at += chunk.size;
    }
    if (old.isEmpty()) {
      return file;
    }
    int added = PACKAGE_HEADER - OLD_PACKAGE_HEADER;
    ByteBuffer from = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer to =
        ByteBuffer.allocate(Math.addExact(file.length, Math.multiplyExact(added, old.size())));
    to.order(ByteOrder.LITTLE_ENDIAN);
    for (int start : old) {
      copy(from, to, start + OLD_PACKAGE_HEADER);
      int header = to.position() - OLD_PACKAGE_HEADER;
      to.putInt(0);
      to.putShort(header + 2, (short) PACKAGE_HEADER);
      for (int field : new int[] {4, TYPE_NAMES, ENTRY_NAMES}) {
        to.putInt(header + field, to.getInt(header + field) + added);
      }
    }
    copy(from, to, file.length);
    to.putInt(4, table.size + added * old.size());
    return to.array();
  }

  private static void copy(ByteBuffer from, ByteBuffer to, int end) {
    to.put(from.array(), from.position(), end - from.position());
    from.position(end);
  }

  /** Text that a reference resolves to, in the app's default language; null if there is none. */
  String text(Value value) {
    for (int i = 0; i < MOST_REFERENCES && value != null; i++) {
      if (value.isString()) {
        return texts.get(value.data());
      }
      value = value.isReference() ? find(value.data()) : null;
    }
    return null;
  }

  /** Value that a reference resolves to; the value itself if it is not a reference. */
  Value resolved(Value value) {
    for (int i = 0; i < MOST_REFERENCES && value != null && value.isReference(); i++) {
      value = find(value.data());
    }
    return value;
  }

  private Value find(int id) {
    Value any = null;
    for (Chunk inPackage : table.content()) {
      if (inPackage.type != Chunk.TABLE_PACKAGE || (inPackage.i32(8) & 0xff) != id >>> 24) {
        continue;
      }
      for (Chunk type : inPackage.content()) {
        if (type.type != Chunk.TABLE_TYPE || type.u8(8) != (id >>> 16 & 0xff)) {
          continue;
        }
        Value value = entry(type, id & 0xffff);
        if (value != null && isDefault(type)) {
          return value;
        }
        any = any == null ? value : any;
      }
    }
    return any;
  }

  /** Whether the values hold for every configuration: all fields but the size are zero. */
  private static boolean isDefault(Chunk type) {
    int size = type.i32(20);
    for (int at = 4; at + 4 <= size && 20 + at + 4 <= type.headerSize; at += 4) {
      if (type.i32(20 + at) != 0) {
        return false;
      }
    }
    return true;
  }

  private static Value entry(Chunk type, int index) {
    int offset = offset(type, index);
    if (offset == NO_ENTRY) {
      return null;
    }
    int at = Math.addExact(type.i32(16), offset);
    int flags = type.u16(at + 2);
    if ((flags & COMPACT) != 0) {
      return new Value(flags >> 8, type.i32(at + 4));
    }
    return (flags & COMPLEX) != 0 ? null : Value.at(type, at + type.u16(at));
  }

  private static int offset(Chunk type, int index) {
    int count = type.i32(12);
    int flags = type.u8(9);
    if ((flags & SPARSE) != 0) {
      for (int i = 0; i < count; i++) {
        int at = type.headerSize + 4 * i;
        if (type.u16(at) == index) {
          return 4 * type.u16(at + 2);
        }
      }
      return NO_ENTRY;
    }
    if (index >= count) {
      return NO_ENTRY;
    }
    if ((flags & SHORT_OFFSETS) != 0) {
      int offset = type.u16(type.headerSize + 2 * index);
      return offset == 0xffff ? NO_ENTRY : 4 * offset;
    }
    return type.i32(type.headerSize + 4 * index);
  }
}
