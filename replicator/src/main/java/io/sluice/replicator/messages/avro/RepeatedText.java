package io.sluice.replicator.messages.avro;

import io.sluice.replicator.messages.BadMessageException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A text that is mostly the one of the message before: then it is the same String. */
final class RepeatedText {

  private byte[] utf8 = {};
  private String text = "";
  private boolean there;

  void clear() {
    there = false;
  }

  void read(AvroInput in) throws BadMessageException {
    int start = in.readText();
    there = true;
    int length = in.length();
    if (!Arrays.equals(utf8, 0, utf8.length, in.bytes(), start, start + length)) {
      utf8 = Arrays.copyOfRange(in.bytes(), start, start + length);
      text = new String(utf8, StandardCharsets.UTF_8);
    }
  }

  /** Null if nothing was read since it was cleared. */
  @Nullable String text() {
    return there ? text : null;
  }
}
