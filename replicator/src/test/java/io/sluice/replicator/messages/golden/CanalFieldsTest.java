package io.sluice.replicator.messages.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.canal.CanalJsonFormat;
import io.sluice.replicator.messages.canal.CanalOptions;
import java.io.IOException;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each member of Canal's flat messages that docs/formats.md names. */
class CanalFieldsTest {

  private static final int INSERT = 0;
  private static final int UPDATE = 1;
  private static final int DELETE = 2;

  private final MessageFormat format =
      new CanalJsonFormat(
          new CanalOptions(ZoneId.of("Asia/Shanghai"), CanalOptions.ZeroDates.FAIL));

  private static Edited edited(int nth) throws IOException {
    return Edited.of(GoldenFile.read("canal/flat-messages").messages().get(nth));
  }

  @Test
  void type() throws Exception {
    assertThat(edited(INSERT).read(format)).hasSize(2).allMatch(row -> row.startsWith("UPSERT"));
    assertThat(edited(INSERT).set("type", "\"DELETE\"").read(format))
        .hasSize(2)
        .allMatch(row -> row.startsWith("DELETE"));
    assertThat(edited(DELETE).set("type", "\"INSERT\"").read(format).get(0)).startsWith("UPSERT");
    assertThatThrownBy(() -> edited(INSERT).set("type", "\"MERGE\"").read(format))
        .hasMessageContaining("none of Canal's events");
    assertThatThrownBy(() -> edited(INSERT).remove("type").read(format))
        .hasMessageContaining("no \"type\"");
  }

  @Test
  void data() throws Exception {
    assertThat(edited(INSERT).set("data/1/name", "\"pan\"").read(format).get(1))
        .startsWith("UPSERT [id=112, name='pan', weight=NULL, sold=NULL]");
    assertThatThrownBy(() -> edited(INSERT).set("data", "null").read(format))
        .hasMessageContaining("\"data\" is null");
  }

  @Test
  void old() throws Exception {
    assertThat(edited(UPDATE).read(format).get(0)).contains("] before [weight='5.18'] of ");
    assertThat(edited(UPDATE).set("old/0", "{\"id\":\"7\"}").read(format).get(0))
        .contains("] before [id=7] of ");
    assertThat(edited(UPDATE).set("old", "null").read(format).get(0)).doesNotContain("before");
  }

  @Test
  void mysqlType() throws Exception {
    assertThat(edited(DELETE).read(format).get(0)).startsWith("DELETE [id=112, ");
    assertThat(edited(DELETE).set("mysqlType", "null").read(format).get(0))
        .startsWith("DELETE [id='112', ");
    assertThat(edited(DELETE).set("mysqlType/id", "\"varchar(3)\"").read(format).get(0))
        .startsWith("DELETE [id='112', ");
  }

  @Test
  void pkNames() throws Exception {
    assertThat(edited(UPDATE).set("pkNames", "[\"name\",\"id\"]").read(format).get(0))
        .contains(" key [name, id] ");
    assertThat(edited(UPDATE).set("pkNames", "null").read(format).get(0)).doesNotContain(" key ");
  }

  @Test
  void databaseAndTable() throws Exception {
    assertThat(edited(UPDATE).set("database", "\"d\"").set("table", "\"t\"").read(format).get(0))
        .contains(" of d.t ");
  }

  @Test
  void es() throws Exception {
    assertThat(edited(UPDATE).set("es", "1234").read(format).get(0)).endsWith(" at 1234000");
  }

  @Test
  void isDdl() throws Exception {
    assertThat(edited(3).read(format)).isEmpty();
    assertThat(edited(4).read(format)).isEmpty();
    assertThat(edited(5).read(format))
        .containsExactly("TRUNCATE [] of shop.products at 1772357405000000");
    assertThat(edited(3).set("type", "\"NEWTYPE\"").read(format)).isEmpty();
    assertThatThrownBy(
            () -> edited(3).set("type", "\"NEWTYPE\"").set("isDdl", "false").read(format))
        .hasMessageContaining("none of Canal's events");
  }

  @Test
  void theRest() throws Exception {
    for (String member : List.of("id", "ts", "sql", "sqlType", "gtid")) {
      for (int nth : new int[] {INSERT, UPDATE, DELETE}) {
        List<String> whole = edited(nth).read(format);
        assertThat(edited(nth).remove(member).read(format)).as(member).isEqualTo(whole);
        assertThat(edited(nth).set(member, "[{\"id\":null}]").read(format))
            .as(member)
            .isEqualTo(whole);
      }
    }
  }
}
