package io.sluice.replicator.messages.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.ogg.OggJsonFormat;
import java.io.IOException;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each member of GoldenGate's operations that docs/formats.md names. */
class OggFieldsTest {

  private static final int INSERT = 0;
  private static final int UPDATE = 1;
  private static final int DELETE = 2;
  private static final int TRUNCATE = 3;

  private final MessageFormat format = new OggJsonFormat(ZoneId.of("UTC"));

  private static Edited edited(int nth) throws IOException {
    return Edited.of(GoldenFile.read("ogg/operations").messages().get(nth));
  }

  @Test
  void opType() throws Exception {
    assertThat(edited(INSERT).read(format).get(0)).startsWith("UPSERT [CODE='WILL', NR='144', ");
    assertThat(edited(UPDATE).read(format).get(0)).startsWith("UPSERT [CODE='WILL', NR='144', ");
    assertThat(edited(DELETE).read(format).get(0)).startsWith("DELETE [CODE='WILL', NR='144'] ");
    assertThat(edited(TRUNCATE).read(format).get(0)).startsWith("TRUNCATE [] of QA.TCUSTORD");
    assertThatThrownBy(() -> edited(INSERT).set("op_type", "\"X\"").read(format))
        .hasMessageContaining("none of I, U, D and T");
  }

  @Test
  void before() throws Exception {
    assertThat(edited(UPDATE).read(format).get(0))
        .contains("PRICE=decimal 14000.00, AMOUNT=3] before [CODE='WILL', NR='144', PRICE=decimal");
    assertThat(edited(UPDATE).set("before", "null").read(format).get(0))
        .startsWith("UPSERT [CODE='WILL', NR='144', PRICE=decimal 14000.00] of ");
    assertThatThrownBy(() -> edited(DELETE).set("before", "null").read(format))
        .hasMessageContaining("no \"before\"");
  }

  @Test
  void after() throws Exception {
    assertThat(edited(INSERT).set("after/AMOUNT", "null").read(format).get(0))
        .contains("AMOUNT=NULL]");
    for (int nth : new int[] {INSERT, UPDATE}) {
      assertThatThrownBy(() -> edited(nth).set("after", "null").read(format))
          .hasMessageContaining("no \"after\"");
    }
  }

  /** A null that stands for a value that wasn't in the trail is no NULL. */
  @Test
  void marksOfMissingValues() throws Exception {
    assertThat(edited(4).read(format).get(0))
        .startsWith(
            "UPSERT [CODE='DAVE', NOTE='x', PRICE=decimal 1.00]"
                + " before [CODE='DAVE', PRICE=decimal 1.00, NOTE=NULL] of ");
    assertThatThrownBy(() -> edited(5).read(format))
        .hasMessageContaining("Field PRICE: its value was not in the trail");
    assertThat(edited(6).read(format).get(0)).startsWith("DELETE [CODE='DAVE'] of ");
  }

  @Test
  void table() throws Exception {
    assertThat(edited(INSERT).set("table", "\"C.S.T\"").read(format).get(0)).contains(" of S.T ");
  }

  @Test
  void primaryKeys() throws Exception {
    assertThat(edited(INSERT).set("primary_keys", "[\"NR\"]").read(format).get(0))
        .contains(" key [NR] ");
    assertThat(edited(INSERT).remove("primary_keys").read(format).get(0)).doesNotContain(" key ");
  }

  @Test
  void opTs() throws Exception {
    assertThat(edited(INSERT).read(format).get(0)).endsWith(" at 1772357400766000");
    assertThat(edited(INSERT).read(new OggJsonFormat(null)).get(0)).endsWith("key [CODE, NR]");
  }

  @Test
  void theRest() throws Exception {
    for (String member : List.of("current_ts", "pos", "tokens")) {
      for (int nth : new int[] {INSERT, UPDATE, DELETE, TRUNCATE}) {
        List<String> whole = edited(nth).read(format);
        assertThat(edited(nth).remove(member).read(format)).as(member).isEqualTo(whole);
        assertThat(edited(nth).set(member, "[{\"id\":null}]").read(format))
            .as(member)
            .isEqualTo(whole);
      }
    }
  }
}
