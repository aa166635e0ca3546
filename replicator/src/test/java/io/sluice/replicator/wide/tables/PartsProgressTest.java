package io.sluice.replicator.wide.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replicator.backfill.BackfillProgress;
import io.sluice.replicator.backfill.BackfillProgress.State;
import io.sluice.sinks.BackfillInput;
import org.junit.jupiter.api.Test;

class PartsProgressTest {

  private static final String COPYING =
      "{\"state\":\"copying\",\"key\":[\"id\"],\"todo\":[[[\"5\"],null]],\"rows\":5,\"estimate\":9}";
  private static final String CONSISTENT = "{\"state\":\"consistent\",\"rows\":7}";

  @Test
  void keepsThePartsApart() {
    String one = PartsProgress.with(null, "a of s.a", "k=k", COPYING);
    String both = PartsProgress.with(one, "b of s.b", "k=k", CONSISTENT);
    assertThat(PartsProgress.of(both, "a of s.a", "k=k"))
        .isEqualTo(BackfillProgress.parse(COPYING));
    assertThat(PartsProgress.of(both, "b of s.b", "k=k").state()).isEqualTo(State.CONSISTENT);
    assertThat(PartsProgress.of(both, "c of s.c", "k=k").state()).isEqualTo(State.PENDING);
    assertThat(PartsProgress.of(null, "a of s.a", "k=k").state()).isEqualTo(State.PENDING);
  }

  @Test
  void theWholeIsAsFarAsTheLastPart() {
    String both =
        PartsProgress.with(PartsProgress.with(null, "b", "k=k", CONSISTENT), "a", "k=k", COPYING);
    BackfillProgress whole = BackfillProgress.parse(both);
    assertThat(whole.state()).isEqualTo(State.COPYING);
    assertThat(whole.rows()).isEqualTo(12);
    assertThat(BackfillProgress.parse(PartsProgress.with(both, "a", "k=k", CONSISTENT)).state())
        .isEqualTo(State.CONSISTENT);
  }

  @Test
  void aPartWithOtherColumnsIsCopiedAgain() {
    String all = PartsProgress.with(null, "a", "k=k", CONSISTENT);
    assertThat(PartsProgress.of(all, "a", "k=k,v=v").state()).isEqualTo(State.PENDING);
  }

  @Test
  void aDemandForAllIsOneForEach() {
    assertThat(PartsProgress.of(BackfillInput.AGAIN, "a", "k=k").state()).isEqualTo(State.AGAIN);
    String begun = PartsProgress.with(BackfillInput.AGAIN, "a", "k=k", COPYING);
    assertThat(PartsProgress.of(begun, "a", "k=k").state()).isEqualTo(State.COPYING);
    assertThat(PartsProgress.of(begun, "b", "k=k").state()).isEqualTo(State.PENDING);
  }

  @Test
  void namesWhatIsNone() {
    assertThatThrownBy(() -> PartsProgress.of("x", "a", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Not the progress of a wide table: x");
  }
}
