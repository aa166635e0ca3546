package io.sluice.replicator.sources.debezium;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ExactValueConverterTest {

  @Test
  void knowsAllBytesOfTheServersLatin1() {
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    String text = ExactValueConverter.ofLatin1(all);
    assertThat(text).hasSize(256).doesNotContain("\uFFFD");
    assertThat(text.charAt(0x80)).isEqualTo('€');
    assertThat(text.charAt(0xe4)).isEqualTo('ä');
    for (int hole : new int[] {0x81, 0x8d, 0x8f, 0x90, 0x9d}) {
      assertThat((int) text.charAt(hole)).isEqualTo(hole);
    }
  }

  @Test
  void keepsAFirstMarkOfWideText() {
    String text = "\uFEFFa😀";
    assertThat(ExactValueConverter.ofUtf16(text.getBytes(StandardCharsets.UTF_16BE)))
        .isEqualTo(text);
    assertThat(
            ExactValueConverter.ofCodePoints(
                new byte[] {0, 0, (byte) 0xfe, (byte) 0xff, 0, 0, 0, 'a', 0, 1, (byte) 0xf6, 0}))
        .isEqualTo(text);
  }

  @Test
  void leavesToTheColumnsEncoderWhatIsNoText() {
    String half = "a\uD800";
    assertThat(ExactValueConverter.ofUtf16(new byte[] {0, 'a', (byte) 0xd8, 0})).isEqualTo(half);
    assertThat(ExactValueConverter.ofUtf16(new byte[] {0, 'a', 7})).isEqualTo(half);
    assertThat(ExactValueConverter.ofCodePoints(new byte[] {0, 0, 0, 'a', 0, 0x11, 0, 0}))
        .isEqualTo(half);
    assertThat(ExactValueConverter.ofCodePoints(new byte[] {0, 0, 0, 'a', 1})).isEqualTo(half);
  }
}
