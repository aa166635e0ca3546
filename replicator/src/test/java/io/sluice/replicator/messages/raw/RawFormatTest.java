package io.sluice.replicator.messages.raw;

import static io.sluice.replicator.messages.Shown.changes;
import static io.sluice.replicator.messages.Shown.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.formats.FormatSettings;
import io.sluice.replicator.messages.formats.MessageFormats;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RawFormatTest {

  private static MessageFormat raw(Map<String, String> options) {
    return MessageFormats.create(new FormatSettings("raw", options, Optional.empty()));
  }

  private static Message bytes(int... values) {
    byte[] result = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      result[i] = (byte) values[i];
    }
    return new Message("t", 0, 0, 0, null, result, List.of());
  }

  @Test
  void theValueIsAColumn() throws BadMessageException {
    MessageFormat format = raw(Map.of());
    assertThat(changes(format, bytes(0, 255))).containsExactly("UPSERT [value=bytes 00ff]");
    assertThat(changes(format, bytes())).containsExactly("UPSERT [value=bytes ]");
    assertThat(changes(format, message("k", null))).isEmpty();
    format.read(
        bytes(1),
        change ->
            assertThat(change.columns().columns().toString())
                .contains("name=value, type=BYTES, nullable=true"));
  }

  @Test
  void theValueIsText() throws BadMessageException {
    MessageFormat format = raw(Map.of("column", "line", "type", "string"));
    assertThat(changes(format, message(null, "ü"))).containsExactly("UPSERT [line='ü']");
    assertThatThrownBy(() -> changes(format, bytes('a', 0xfc)))
        .isInstanceOf(BadMessageException.class)
        .hasMessage("Byte 1 of the value is not UTF-8.");
    assertThatThrownBy(() -> raw(Map.of("type", "text"))).hasMessageContaining("bytes or string");
  }
}
