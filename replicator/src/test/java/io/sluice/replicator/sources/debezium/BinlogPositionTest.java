package io.sluice.replicator.sources.debezium;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replicator.values.MySqlFlavor;
import io.sluice.sinks.SourcePosition;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BinlogPositionTest {

  private static final String A = "3e11fa47-71ca-11e1-9e33-c80aa9429562";

  @Test
  void leavesOutWhatBelongsToATransactionWhenThereAreGtids() {
    BinlogPosition position =
        BinlogPosition.ofOffset(
            Map.of(
                "gtids",
                A + ":1-9",
                "file",
                "b.000002",
                "pos",
                500L,
                "event",
                7L,
                "row",
                3,
                "ts_sec",
                1700000000L,
                "transaction_id",
                A + ":10"),
            MySqlFlavor.MYSQL);
    assertThat(position.after(A + ":10").toSourcePosition().text())
        .isEqualTo(
            "{\"gtids\":\""
                + A
                + ":1-10\",\"file\":\"b.000002\",\"pos\":501,\"ts_sec\":1700000000}");
  }

  @Test
  void keepsTheEventsToSkipWithoutGtids() {
    BinlogPosition position =
        BinlogPosition.ofOffset(
            Map.of("file", "b.000002", "pos", 500, "event", 7, "transaction_id", "x"),
            MySqlFlavor.MYSQL);
    assertThat(position.toOffset()).isEqualTo(Map.of("file", "b.000002", "pos", 500L, "event", 7L));
    assertThat(BinlogPosition.parse(position.toSourcePosition(), MySqlFlavor.MYSQL))
        .isEqualTo(position);
  }

  @Test
  void refusesAnotherSourcesPosition() {
    assertThatThrownBy(
            () -> BinlogPosition.parse(new SourcePosition("{\"p0\":1}"), MySqlFlavor.MYSQL))
        .isInstanceOf(IllegalArgumentException.class);
    var mariaDb = new SourcePosition("{\"gtids\":\"0-1-5\",\"file\":\"b.000001\",\"pos\":4}");
    assertThat(BinlogPosition.parse(mariaDb, MySqlFlavor.MARIADB).gtids()).hasToString("0-1-5");
    assertThatThrownBy(() -> BinlogPosition.parse(mariaDb, MySqlFlavor.MYSQL))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void ordersPointsByTheFilesNumber() {
    assertThat(new BinlogPoint("b.1000000", 4)).isGreaterThan(new BinlogPoint("b.999999", 900));
    assertThat(new BinlogPoint("b.000009", 5)).isGreaterThan(new BinlogPoint("b.000009", 4));
  }

  @Test
  void goesOnlyForwardInWhatTheStreamHasPassed() {
    var progress = new StreamProgress();
    assertThat(progress.passed("b.000001", 4)).isFalse();
    progress.passed(new BinlogPoint("b.000002", 100));
    progress.passed(new BinlogPoint("b.000001", 900));
    assertThat(progress.passed("b.000001", 5000)).isTrue();
    assertThat(progress.passed("b.000002", 100)).isTrue();
    assertThat(progress.passed("b.000002", 101)).isFalse();
  }

  @Test
  void namesTheTransactionUnderWayInWhatIsDelivered() {
    var mark =
        new DeliveredMark(
            MySqlGtidSet.parse(A + ":1-9"), A + ":10", new BinlogPoint("b.000002", 501));
    assertThat(mark.text())
        .isEqualTo("{\"gtids\":\"" + A + ":1-10\",\"file\":\"b.000002\",\"pos\":501}");
  }
}
