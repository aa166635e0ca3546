package io.sluice.replicator.messages.json;

import static io.sluice.replicator.messages.Shown.changes;
import static io.sluice.replicator.messages.Shown.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonFormatTest {

  private final JsonFormat format = new JsonFormat(Tombstones.SKIP);

  @Test
  void anObjectIsARow() throws BadMessageException {
    assertThat(changes(format, message(null, "{\"id\":1,\"name\":\"a\",\"o\":{\"x\":[1.0]}}")))
        .containsExactly("UPSERT [id=1, name='a', o=nested {\"x\":[1.0]}]");
  }

  @Test
  void anArrayIsSeveralRows() throws BadMessageException {
    assertThat(changes(format, message("{\"k\":9}", "[{\"id\":1},{\"id\":2,\"k\":3}]")))
        .containsExactly("UPSERT [id=1, k=9] key [k]", "UPSERT [id=2, k=3] key [k]");
    assertThat(changes(format, message(null, "[]"))).isEmpty();
  }

  @Test
  void theKeysFieldsComeIn() throws BadMessageException {
    String withSchema = "{\"schema\":{\"type\":\"struct\"},\"payload\":{\"a\":%d,\"b\":\"x\"}}";
    for (int i = 1; i < 4; i++) {
      assertThat(changes(format, message(withSchema.formatted(i), "{\"v\":null}")))
          .containsExactly("UPSERT [v=NULL, a=" + i + ", b='x'] key [a, b]");
    }
    assertThat(changes(format, message("{\"a\":5}", "{\"a\":6}")))
        .containsExactly("UPSERT [a=6] key [a]");
    for (String plain : List.of("42", "\"x\"", "Struct{a=1}", "")) {
      assertThat(changes(format, message(plain, "{\"a\":6}"))).containsExactly("UPSERT [a=6]");
    }
    assertThatThrownBy(() -> changes(format, message("{\"a\":", "{\"a\":6}")))
        .isInstanceOf(BadMessageException.class)
        .hasMessageStartingWith("The key: No JSON at byte 5");
  }

  @Test
  void noValueIsNoChange() throws BadMessageException {
    assertThat(changes(format, message("{\"id\":1}", null))).isEmpty();
    assertThat(changes(format, message("{\"id\":1}", ""))).isEmpty();
    assertThat(changes(format, message("{\"id\":1}", "null"))).isEmpty();
  }

  @Test
  void noValueIsADeleteIfToldSo() throws BadMessageException {
    JsonFormat deleting = new JsonFormat(Tombstones.DELETE);
    assertThat(changes(deleting, message("{\"id\":1}", null)))
        .containsExactly("DELETE [id=1] key [id]");
    assertThat(changes(deleting, message("{\"id\":1}", ""))).isEmpty();
    for (String key : new String[] {null, "7", "{}"}) {
      assertThatThrownBy(() -> changes(deleting, message(key, null)))
          .isInstanceOfSatisfying(
              BadMessageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INCOMPLETE));
    }
  }

  @Test
  void refusesWhatIsNoRow() {
    for (String value :
        List.of("1", "\"a\"", "true", "[1]", "[{},[]]", "{\"a\":1}{}", " ", "nul")) {
      assertThatThrownBy(() -> changes(format, message(null, value)))
          .isInstanceOfSatisfying(
              BadMessageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.MALFORMED));
    }
  }

  @Test
  void goesOnBehindABadMessage() throws BadMessageException {
    List<String> rows = new ArrayList<>();
    for (String value : List.of("{\"id\":1,\"a\":\"x\"}", "{\"id\":2,\"b\":", "{\"id\":3}")) {
      try {
        rows.addAll(changes(format, message(null, value)));
      } catch (BadMessageException e) {
        rows.add(e.reason().text());
      }
    }
    assertThat(rows).containsExactly("UPSERT [id=1, a='x']", "malformed", "UPSERT [id=3]");
  }
}
