package io.sluice.replicator.backfill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replicator.backfill.BackfillProgress.State;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.KeyStretch;
import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackfillProgressTest {

  @Test
  void whatIsToDoComesBackAsItWas() {
    BackfillProgress progress =
        new BackfillProgress(
            State.COPYING,
            List.of("a", "b\"`"),
            List.of(
                new KeyRange(null, List.of("-5", "C3BC")),
                new KeyRange(List.of("5", ""), List.of("7", "2D")),
                new KeyRange(List.of("9", "x\"y\\"), null)),
            100,
            900,
            new KeyStretch("a", new BigInteger("-5"), null));
    String text = progress.text(null);
    assertThat(text).doesNotContain("\n");
    assertThat(BackfillProgress.parse(text)).isEqualTo(progress);
  }

  @Test
  void theEndOfACopyTellsWhereItSettles() {
    String text =
        new BackfillProgress(State.COPIED, List.of(), List.of(), 9, 9, null)
            .text(new BinlogEnd("binlog.000002", 4711));
    assertThat(text)
        .isEqualTo(
            "{\"state\":\"copied\",\"settle\":{\"file\":\"binlog.000002\",\"pos\":4711},\"rows\":9,"
                + "\"estimate\":9}");
    assertThat(BackfillProgress.parse(text).state()).isEqualTo(State.COPIED);
  }

  @Test
  void aTableWithoutProgressIsPending() {
    assertThat(BackfillProgress.parse(null).state()).isEqualTo(State.PENDING);
    assertThat(BackfillProgress.parse("").state()).isEqualTo(State.PENDING);
    assertThat(BackfillProgress.parse(BackfillInput.AGAIN))
        .isEqualTo(BackfillProgress.of(State.AGAIN));
  }

  @Test
  void aPartIsDemandedByItsKeys() {
    KeyStretch keys =
        new KeyStretch("a\"`", BigInteger.ONE, new BigInteger("18446744073709551615"));
    BackfillProgress demanded = BackfillProgress.parse(BackfillInput.again(keys));
    assertThat(demanded.state()).isEqualTo(State.AGAIN);
    assertThat(demanded.within()).isEqualTo(keys);
  }

  @Test
  void foreignTextIsRefused() {
    assertThatThrownBy(() -> BackfillProgress.parse("{\"state\":\"cooking\"}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cooking");
    assertThatThrownBy(() -> BackfillProgress.parse("{\"state\":"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
