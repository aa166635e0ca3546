package io.sluice.replicator.messages.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.maxwell.MaxwellJsonFormat;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each member of Maxwell's messages that docs/formats.md names. */
class MaxwellFieldsTest {

  private static final int INSERT = 0;
  private static final int UPDATE = 1;
  private static final int DELETE = 2;
  private static final int BOOTSTRAP = 6;

  private final MessageFormat format = new MaxwellJsonFormat();

  private static Edited edited(int nth) throws IOException {
    return Edited.of(GoldenFile.read("maxwell/dataformat").messages().get(nth));
  }

  @Test
  void type() throws Exception {
    assertThat(edited(INSERT).read(format).get(0)).startsWith("UPSERT [id=1, ");
    assertThat(edited(BOOTSTRAP).read(format).get(0)).startsWith("UPSERT [id=2, ");
    assertThat(edited(INSERT).set("type", "\"delete\"").read(format).get(0)).startsWith("DELETE");
    for (int nth : new int[] {3, 4, 5, 7}) {
      assertThat(edited(nth).read(format)).isEmpty();
    }
    assertThatThrownBy(() -> edited(INSERT).set("type", "\"upsert\"").read(format))
        .hasMessageContaining("none of Maxwell's");
  }

  @Test
  void data() throws Exception {
    assertThat(edited(DELETE).set("data/id", "5").read(format).get(0)).startsWith("DELETE [id=5, ");
    assertThat(edited(BOOTSTRAP).read(format).get(0))
        .contains("c='0000-00-00 00:00:00'")
        .contains("tags=nested [\"b_val\",\"c_val\"]")
        .contains("photo='AEH/'");
    assertThatThrownBy(() -> edited(INSERT).remove("data").read(format))
        .hasMessageContaining("no \"data\"");
  }

  @Test
  void old() throws Exception {
    assertThat(edited(UPDATE).read(format).get(0))
        .contains("] before [m=decimal 4.2341, c='2026-03-01 09:30:00.523000'] of ");
    assertThat(edited(UPDATE).remove("old").read(format).get(0)).doesNotContain("before");
  }

  @Test
  void primaryKeyColumns() throws Exception {
    assertThat(edited(INSERT).set("primary_key_columns", "[\"m\",\"id\"]").read(format).get(0))
        .contains(" key [m, id] ");
    assertThat(edited(INSERT).remove("primary_key_columns").read(format).get(0))
        .doesNotContain(" key ");
  }

  @Test
  void databaseAndTable() throws Exception {
    assertThat(edited(INSERT).set("database", "\"d\"").set("table", "\"t\"").read(format).get(0))
        .contains(" of d.t ");
  }

  @Test
  void ts() throws Exception {
    assertThat(edited(INSERT).set("ts", "12").read(format).get(0)).endsWith(" at 12000000");
  }

  @Test
  void theRest() throws Exception {
    for (String member :
        List.of(
            "xid",
            "xoffset",
            "commit",
            "position",
            "gtid",
            "server_id",
            "thread_id",
            "primary_key",
            "query",
            "schema_id")) {
      for (int nth : new int[] {INSERT, UPDATE, DELETE, BOOTSTRAP}) {
        List<String> whole = edited(nth).read(format);
        assertThat(edited(nth).set(member, "[{\"id\":null}]").read(format))
            .as(member)
            .isEqualTo(whole);
        assertThat(edited(nth).set(member, "1").remove(member).read(format))
            .as(member)
            .isEqualTo(whole);
      }
    }
    assertThat(edited(INSERT).key(null).read(format)).isEqualTo(edited(INSERT).read(format));
  }
}
