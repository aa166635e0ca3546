package io.sluice.replicator.messages.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.Message.Header;
import io.sluice.replicator.messages.registry.FramedBytes.Part;
import io.sluice.replicator.messages.registry.RegistrySettings.IdLayout;
import io.sluice.replicator.messages.registry.SchemaId.Kind;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class FramedBytesTest {

  private final FramedBytes framed = new FramedBytes(IdLayout.CONFLUENT);

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replace(" ", ""));
  }

  private static void open(FramedBytes framed, Part part, byte[] bytes, Header... headers)
      throws BadMessageException {
    framed.open(new Message("t", 0, 0, 0, null, bytes, List.of(headers)), part, bytes);
  }

  @Test
  void readsAZeroAndFourBytes() throws Exception {
    open(framed, Part.VALUE, hex("00 80000001 0a"));
    assertThat(framed.id()).isEqualTo(SchemaId.number(0x80000001));
    assertThat(framed.start()).isEqualTo(5);
  }

  @Test
  void readsAOneAndAGuid() throws Exception {
    open(framed, Part.VALUE, hex("01 0011223344556677 8899aabbccddeeff 0a"));
    assertThat(framed.id()).hasToString("00112233-4455-6677-8899-aabbccddeeff");
    assertThat(framed.start()).isEqualTo(17);
  }

  @Test
  void readsAZeroAndEightBytesOfApicurio() throws Exception {
    FramedBytes global = new FramedBytes(IdLayout.APICURIO_GLOBAL);
    open(global, Part.VALUE, hex("00 0000000100000002 0a"));
    assertThat(global.id()).isEqualTo(new SchemaId(Kind.APICURIO_GLOBAL, 0, 0x100000002L));
    assertThat(global.start()).isEqualTo(9);
    FramedBytes content = new FramedBytes(IdLayout.APICURIO_CONTENT);
    open(content, Part.VALUE, hex("00 0000000000000002"));
    assertThat(content.id().kind()).isEqualTo(Kind.APICURIO_CONTENT);
  }

  @Test
  void prefersHeadersAndThenTheDataBeginWithTheFirstByte() throws Exception {
    open(
        framed,
        Part.VALUE,
        hex("0a"),
        new Header("apicurio.key.globalId", hex("0000000000000001")),
        new Header("apicurio.value.globalId", hex("0000000000000002")),
        new Header("apicurio.value.encoding", "BINARY".getBytes(StandardCharsets.US_ASCII)));
    assertThat(framed.id()).isEqualTo(new SchemaId(Kind.APICURIO_GLOBAL, 0, 2));
    assertThat(framed.start()).isZero();
    open(
        framed,
        Part.KEY,
        hex("0a"),
        new Header("apicurio.key.contentId", hex("0000000000000003")),
        new Header("apicurio.key.globalId", hex("0000000000000001")));
    assertThat(framed.id()).isEqualTo(new SchemaId(Kind.APICURIO_CONTENT, 0, 3));
    open(
        framed,
        Part.VALUE,
        hex("0a"),
        new Header("__value_schema_id", hex("01 0011223344556677 8899aabbccddeeff")));
    assertThat(framed.id().kind()).isEqualTo(Kind.GUID);
    assertThat(framed.start()).isZero();
  }

  @Test
  void givesTheSameObjectForTheSameId() throws Exception {
    open(framed, Part.VALUE, hex("00 00000007"));
    SchemaId id = framed.id();
    open(framed, Part.VALUE, hex("00 00000007 01"));
    assertThat(framed.id()).isSameAs(id);
  }

  @Test
  void refusesBytesThatNameNoSchema() {
    for (String bytes :
        List.of("", "00", "00000000", "02 00000001", "7b2261223a317d", "01 001122")) {
      assertThatThrownBy(() -> open(framed, Part.VALUE, hex(bytes)))
          .as(bytes)
          .isInstanceOf(BadMessageException.class)
          .hasMessageContaining("the value")
          .hasMessageContaining("an id of 4 bytes");
    }
    assertThatThrownBy(
            () -> open(new FramedBytes(IdLayout.APICURIO_GLOBAL), Part.KEY, hex("00 00000001")))
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining("the key begins with byte 0 and has 5 bytes");
  }

  @Test
  void refusesHeadersThatHoldNoId() {
    assertThatThrownBy(
            () ->
                open(framed, Part.VALUE, hex(""), new Header("apicurio.value.globalId", hex("07"))))
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining("apicurio.value.globalId");
    assertThatThrownBy(
            () ->
                open(
                    framed,
                    Part.VALUE,
                    hex(""),
                    new Header("__value_schema_id", hex("0500000001"))))
        .isInstanceOf(BadMessageException.class);
    assertThatThrownBy(
            () ->
                open(
                    framed,
                    Part.VALUE,
                    hex("7b7d"),
                    new Header("apicurio.value.globalId", hex("0000000000000001")),
                    new Header("apicurio.value.encoding", hex("4a534f4e"))))
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining("apicurio.value.encoding");
  }
}
