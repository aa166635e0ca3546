package io.sluice.replicator.messages.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.FieldRow;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonInputTest {

  private final JsonInput input = new JsonInput();

  private FieldRow read(String json) throws BadMessageException {
    return read(json.getBytes(StandardCharsets.UTF_8));
  }

  private FieldRow read(byte[] json) throws BadMessageException {
    FieldRow row = new FieldRow();
    input.open(json, 0, json.length);
    input.addObjectTo(row);
    input.end();
    return row;
  }

  private static String shown(FieldRow row) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < row.size(); i++) {
      text.append(row.name(i)).append(' ').append(row.kind(i)).append(' ');
      text.append(
          switch (row.kind(i)) {
            case NULL -> "";
            case BOOLEAN -> row.booleanValue(i);
            case LONG -> row.longValue(i);
            default -> row.text(i);
          });
      text.append('\n');
    }
    return text.toString();
  }

  @Test
  void keepsEachValueAsTheTextSaysIt() throws BadMessageException {
    assertThat(
            shown(
                read(
                    """
                    { "n" : null, "t":true,"f":false ,"i":-12,"z":0,"min":-9223372036854775808,
                      "max":9223372036854775807,"over":9223372036854775808,"d":1.0,"e":1e5,"m":-0,
                      "huge":1e999999999,"long":123456789012345678901234567890.5E-3,
                      "s":"a\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9ü€😀\\ud83d\\ude00","":"",
                      "o":{"b": 1.0 ,"a":["\\u0041",{}]},"a":[ 1,2 ] }
                    """)))
        .isEqualTo(
            "n NULL \nt BOOLEAN true\nf BOOLEAN false\ni LONG -12\nz LONG 0\n"
                + "min LONG -9223372036854775808\nmax LONG 9223372036854775807\n"
                + "over DECIMAL 9223372036854775808\nd DECIMAL 1.0\ne DECIMAL 1e5\nm DECIMAL -0\n"
                + "huge DECIMAL 1e999999999\n"
                + "long DECIMAL 123456789012345678901234567890.5E-3\n"
                + "s TEXT a\"\\/\b\f\n\r\téü€😀😀\n TEXT \n"
                + "o NESTED {\"b\": 1.0 ,\"a\":[\"\\u0041\",{}]}\na NESTED [ 1,2 ]\n");
  }

  @Test
  void namesAreTheSameObjectAgain() throws BadMessageException {
    FieldRow one = read("{\"first\":1,\"se\\u0063ond\":2}");
    FieldRow two = read("{\"second\":1,\"other\":{\"second\":1},\"first\":2}");
    assertThat(one.name(1)).isSameAs(two.name(0));
    assertThat(one.name(0)).isSameAs(two.name(2));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "}",
        "[]",
        "null",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{\"a\":1 \"b\":2}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":1}x",
        "{\"a\":1}{}",
        "{\"a\":NaN}",
        "{\"a\":-}",
        "{\"a\":01}",
        "{\"a\":1.}",
        "{\"a\":.5}",
        "{\"a\":1e}",
        "{\"a\":+1}",
        "{\"a\":-Infinity}",
        "{\"a\":tru}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u00g0\"}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\ude00\\ud800\"}",
        "{\"a\":\"",
        "{\"a\":\"\\",
        "{\"a\":[1,]}",
        "{\"a\":[,1]}",
        "{\"a\":[1}}",
        "{\"a\":{\"b\":1]}",
        "{\"a\":{\"b\" 1}}",
        "{\"a\":{1:2}}",
        "{\"a\":1/*c*/}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":1,\"\\u0061\":2}",
        "{\"a\":[\"\\q\"]}",
        "{\"a\":0x10}"
      })
  void refusesWhatIsNotJson(String json) {
    assertThatThrownBy(() -> read(json))
        .isInstanceOfSatisfying(
            BadMessageException.class,
            e -> assertThat(e.reason()).isEqualTo(BadMessageException.Reason.MALFORMED))
        .hasMessageStartingWith("No JSON at byte ");
  }

  @Test
  void tellsTheByte() {
    assertThatThrownBy(() -> read("{\"ä\":x}")).hasMessageStartingWith("No JSON at byte 6: 'x' ");
  }

  @Test
  void refusesBadUtf8() {
    int[][] bad = {
      {0x80},
      {0xc3},
      {0xc0, 0x80},
      {0xc1, 0xbf},
      {0xe0, 0x80, 0x80},
      {0xed, 0xa0, 0x80},
      {0xf0, 0x80, 0x80, 0x80},
      {0xf4, 0x90, 0x80, 0x80},
      {0xf5, 0x80, 0x80, 0x80},
      {0xff},
      {0xe2, 0x82},
      {0xe2, 0x28, 0xa1}
    };
    for (String around : List.of("{\"a\":\"#\"}", "{\"#\":1}", "{\"a\":[\"#\"]}", "{\"a\":#}")) {
      for (int[] sequence : bad) {
        String latin = "";
        for (int b : sequence) {
          latin += (char) b;
        }
        byte[] json = around.replace("#", latin).getBytes(StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> read(json)).isInstanceOf(BadMessageException.class);
      }
    }
  }

  @Test
  void skipsAByteOrderMark() throws BadMessageException {
    assertThat(shown(read("\ufeff{\"a\":1}"))).isEqualTo("a LONG 1\n");
  }

  @Test
  void refusesDeepNestingWithoutDeepStacks() {
    for (String json :
        List.of(
            "{\"a\":" + "[".repeat(10_000) + "]".repeat(10_000) + "}",
            "{\"a\":".repeat(10_000) + "1" + "}".repeat(10_000))) {
      assertThatThrownBy(() -> read(json)).hasMessageContaining("more than 1000 levels");
    }
  }

  @Test
  void readsTenMegabytes() throws BadMessageException {
    String text = "é\\n".repeat(2_500_000);
    FieldRow row = read("{\"a\":\"" + text + "\",\"b\":[\"" + text + "\"]}");
    assertThat(row.length(0)).isEqualTo(7_500_000);
    assertThat(row.length(1)).isEqualTo(10_000_004);
  }

  @Test
  void everNewNamesStayRight() throws BadMessageException {
    for (int i = 0; i < 120_000; i++) {
      FieldRow row = read("{\"id\":1,\"name" + i + "\":2}");
      assertThat(row.name(1)).isEqualTo("name" + i);
    }
    assertThatThrownBy(() -> read("{\"new\":1,\"new\":2}")).hasMessageContaining("twice");
    assertThat(read("{\"n1\":1}").name(0)).isSameAs(read("{\"n1\":1}").name(0));
  }

  @Test
  void walksAnEnvelope() throws BadMessageException {
    byte[] json =
        "xx{\"schema\":{\"a\":[1]},\"list\":[1,\"zwei\",[],{\"x\":2}],\"op\":\"u\",\"n\":null,\"b\":true}yy"
            .getBytes(StandardCharsets.UTF_8);
    input.open(json, 2, json.length - 2);
    List<Object> seen = new ArrayList<>();
    input.beginObject();
    for (String name = input.nextName(); name != null; name = input.nextName()) {
      switch (name) {
        case "schema" -> seen.add(input.skipIfSame("{\"a\":[1]}".getBytes(StandardCharsets.UTF_8)));
        case "list" -> {
          input.beginArray();
          assertThat(input.nextElement()).isTrue();
          seen.add(input.readLong());
          assertThat(input.nextElement()).isTrue();
          seen.add(input.readText());
          assertThat(input.nextElement()).isTrue();
          input.beginArray();
          assertThat(input.nextElement()).isFalse();
          assertThat(input.nextElement()).isTrue();
          seen.add(input.kind());
          input.skip();
          assertThat(input.nextElement()).isFalse();
        }
        case "op" -> seen.add(input.readName());
        case "n" -> seen.add(input.readNull());
        default -> seen.add(input.readBoolean());
      }
    }
    input.end();
    assertThat(seen).containsExactly(true, 1L, "zwei", JsonInput.Kind.OBJECT, "u", true, true);
  }

  /** Random texts, whole and damaged: taken and refused as Jackson does, with the same values. */
  @Test
  void agreesWithJackson() throws IOException {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("JsonInputTest seed " + seed);
    Random random = new Random(seed);
    ObjectMapper jackson =
        JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
            .build();
    int whole = 0;
    for (int i = 0; i < 100_000; i++) {
      StringBuilder text = new StringBuilder();
      object(random, text, 0);
      byte[] json = text.toString().getBytes(StandardCharsets.UTF_8);
      for (int damage = random.nextInt(3); damage > 0 && i % 2 == 0; damage--) {
        json[random.nextInt(json.length)] =
            (byte) "{}[]:,\"\\ 019.eE-+tn\n\u00e9\u0080".charAt(random.nextInt(22));
      }
      JsonNode tree;
      try {
        tree = jackson.readTree(json);
      } catch (JsonProcessingException e) {
        tree = null;
      } catch (NumberFormatException e) {
        // An exponent that Jackson has no number for.
        continue;
      }
      FieldRow row;
      try {
        row = read(json);
      } catch (BadMessageException e) {
        row = null;
      }
      String shown = new String(json, StandardCharsets.UTF_8);
      if (tree == null || !tree.isObject()) {
        assertThat(row).as(shown).isNull();
        continue;
      }
      if (row == null) {
        // Jackson lets lone surrogates and overlong forms pass.
        assertThat(shown).matches("(?s).*(\\\\u[dD][89a-fA-F]|\ufffd).*");
        continue;
      }
      whole++;
      assertThat(row.size()).as(shown).isEqualTo(tree.size());
      int position = 0;
      for (Map.Entry<String, JsonNode> member : tree.properties()) {
        assertThat(row.name(position)).as(shown).isEqualTo(member.getKey());
        JsonNode node = member.getValue();
        switch (row.kind(position)) {
          case NULL -> assertThat(node.isNull()).isTrue();
          case BOOLEAN -> assertThat(row.booleanValue(position)).isEqualTo(node.asBoolean());
          case LONG -> assertThat(row.longValue(position)).isEqualTo(node.longValue());
          case DECIMAL ->
              assertThat(new java.math.BigDecimal(row.text(position)))
                  .isEqualByComparingTo(node.decimalValue());
          case TEXT -> assertThat(row.text(position)).isEqualTo(node.textValue());
          default -> assertThat(jackson.readTree(row.text(position))).as(shown).isEqualTo(node);
        }
        position++;
      }
    }
    assertThat(whole).isGreaterThan(50_000);
  }

  private static void object(Random random, StringBuilder out, int level) {
    out.append('{');
    int members = random.nextInt(5);
    for (int i = 0; i < members; i++) {
      out.append(i == 0 ? "" : random.nextInt(5) == 0 ? " , " : ",");
      out.append('"').append((char) ('a' + i)).append(random.nextInt(8) == 0 ? "\\u00e9" : "");
      out.append("\":");
      value(random, out, level);
    }
    out.append('}');
  }

  private static void value(Random random, StringBuilder out, int level) {
    switch (random.nextInt(level > 3 ? 7 : 9)) {
      case 0 -> out.append("null");
      case 1 -> out.append(random.nextBoolean());
      case 2 -> out.append(random.nextLong() >> random.nextInt(64));
      case 3 -> out.append(random.nextGaussian());
      case 4 -> out.append(random.nextInt(100)).append('.').append(random.nextInt(100));
      case 5, 6 -> {
        out.append('"');
        for (int i = random.nextInt(12); i > 0; i--) {
          out.append(
              switch (random.nextInt(9)) {
                case 0 -> "ü";
                case 1 -> "€";
                case 2 -> "😀";
                case 3 -> "\\n";
                case 4 -> "\\ud83d\\ude00";
                case 5 -> "\\\"";
                default -> "x";
              });
        }
        out.append('"');
      }
      case 7 -> {
        out.append('[');
        int elements = random.nextInt(4);
        for (int i = 0; i < elements; i++) {
          out.append(i == 0 ? "" : ",");
          value(random, out, level + 1);
        }
        out.append(']');
      }
      default -> object(random, out, level + 1);
    }
  }
}
