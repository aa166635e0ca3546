package io.sluice.lsm.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HexFormat;
import java.util.Random;
import java.util.TreeSet;
import org.apache.paimon.deletionvectors.Bitmap64DeletionVector;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.junit.jupiter.api.Test;

class DeletionVectorTest {

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replace(" ", ""));
  }

  @Test
  void readsBothFormsOfTheFormatDescription() throws IOException {
    DeletionVector one =
        DeletionVector.parse(
            hex("00000016 5e43f2d0 3a30000001000000000000001000000003 00 c81d3310"));
    assertThat(one.cardinality()).isEqualTo(1);
    assertThat(one.isDeleted(3)).isTrue();
    assertThat(one.isDeleted(2)).isFalse();
    assertThat(one.isDeleted((1L << 32) + 3)).isFalse();
    assertThat(one.last()).isEqualTo(3);
  }

  @Test
  void readsWhatPaimonWritesInBothForms() throws IOException {
    long seed = Long.getLong("test.seed", new Random().nextLong());
    System.out.println("DeletionVectorTest seed " + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 60; round++) {
      TreeSet<Long> positions = new TreeSet<>();
      int count = 1 + random.nextInt(round % 3 == 0 ? 9000 : 40);
      int spread = 1 << (4 + random.nextInt(16));
      long next = 0;
      for (int i = 0; i < count; i++) {
        next += round % 4 == 0 ? 1 : 1 + random.nextInt(spread);
        positions.add(next);
      }
      boolean wide = round % 2 == 1;
      var vector = wide ? new Bitmap64DeletionVector() : new BitmapDeletionVector();
      positions.forEach(vector::delete);
      if (wide && round % 5 == 0) {
        long far = (3L << 32) + random.nextInt(1000);
        vector.delete(far);
        positions.add(far);
      }
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      vector.serializeTo(new DataOutputStream(bytes));
      DeletionVector read = DeletionVector.parse(bytes.toByteArray());
      assertThat(read.cardinality()).isEqualTo(positions.size());
      assertThat(read.last()).isEqualTo(positions.last());
      for (long position : positions) {
        assertThat(read.isDeleted(position)).isTrue();
        assertThat(read.isDeleted(position + 1)).isEqualTo(positions.contains(position + 1));
      }
      // No byte of it can change unnoticed.
      byte[] damaged = bytes.toByteArray();
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      assertThatThrownBy(() -> DeletionVector.parse(damaged)).isInstanceOf(IOException.class);
      byte[] cut = java.util.Arrays.copyOf(damaged, random.nextInt(damaged.length));
      assertThatThrownBy(() -> DeletionVector.parse(cut)).isInstanceOf(IOException.class);
    }
  }
}
