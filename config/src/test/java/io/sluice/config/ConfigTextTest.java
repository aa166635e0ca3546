package io.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigTextTest {

  /** Before, after; ~ stands for a line's end. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "include = [a] | 'include' = [a]",
        "a { include: [a] } | a { 'include': [a] }",
        "a = 1, include  += b | a = 1, 'include'  += b",
        "a = 1~  include = [b] | a = 1~  'include' = [b]",
        "include 'x.conf' | include 'x.conf'",
        "include file('x') | include file('x')",
        "a.include = b | a.include = b",
        "a = include = b | a = include = b",
        "# include = b | # include = b",
        "// {include = b | // {include = b",
        "a = '{ include = b' | a = '{ include = b'",
        "a = '\\'{ include = b' | a = '\\'{ include = b'",
        "a = '''{~include = b'''~include = c | a = '''{~include = b'''~'include' = c",
        "'include' = b | 'include' = b",
        "include | include",
      })
  void includeIsAKeyWhereAValueFollows(String before, String after) {
    assertThat(ConfigText.quoteIncludeKeys(text(before))).isEqualTo(text(after));
  }

  private static String text(String shown) {
    return shown.strip().replace('\'', '"').replace('~', '\n');
  }
}
