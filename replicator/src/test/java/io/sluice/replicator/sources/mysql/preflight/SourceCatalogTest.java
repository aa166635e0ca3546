package io.sluice.replicator.sources.mysql.preflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.replicator.values.ColumnTypeText;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourceCatalogTest {

  @Test
  void findsForeignKeysThatChangeRowsByThemselves() {
    String create =
        """
        CREATE TABLE `child` (
          `id` int NOT NULL COMMENT 'FOREIGN KEY (`p`) REFERENCES `parent` (`id`) ON DELETE CASCADE',
          `p` int DEFAULT NULL,
          PRIMARY KEY (`id`),
          CONSTRAINT `fk 1` FOREIGN KEY (`p`, `q`) REFERENCES `parent` (`id`, `jd`) ON DELETE CASCADE,
          CONSTRAINT `fk2` FOREIGN KEY (`p`) REFERENCES `other`.`parent` (`id`) ON UPDATE SET NULL,
          CONSTRAINT `fk3` FOREIGN KEY (`p`) REFERENCES `parent` (`id`) ON DELETE NO ACTION,
          CONSTRAINT `ON DELETE CASCADE` FOREIGN KEY (`p`) REFERENCES `parent` (`id`),
          CONSTRAINT `fk5` FOREIGN KEY (`p`) REFERENCES `parent` (`id`) ON DELETE RESTRICT ON UPDATE CASCADE
        ) ENGINE=InnoDB""";
    assertThat(SourceCatalog.cascades(create)).containsExactly("fk 1", "fk2", "fk5");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bigint(20) unsigned | BIGINT UNSIGNED | 20 |",
        "int unsigned | INT UNSIGNED | |",
        "int(8) unsigned zerofill | INT UNSIGNED ZEROFILL | 8 |",
        "decimal(10,3) | DECIMAL | 10 | 3",
        "datetime(6) | DATETIME | 6 |",
        "datetime(6) /* mariadb-5.3 */ | DATETIME | 6 |",
        "longtext | LONGTEXT | |",
        "double(10,2) unsigned | DOUBLE UNSIGNED | 10 | 2",
      })
  void takesTypesApart(String text, String name, Integer length, Integer scale) {
    assertThat(ColumnTypeText.parse(text))
        .isEqualTo(new ColumnTypeText(name, length, scale, List.of()));
  }

  @Test
  void labelsMayHoldCommasQuotesAndParentheses() {
    assertThat(ColumnTypeText.parse("enum('a','b,c','d''e','f)','')").labels())
        .containsExactly("a", "b,c", "d'e", "f)", "");
  }
}
