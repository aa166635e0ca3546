package io.sluice.lsm.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.level.Levels;
import io.sluice.lsm.level.SortedRun;
import io.sluice.lsm.merge.SerializedKeyComparator;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.testing.Script;
import io.sluice.lsm.testing.TestFiles;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Runs the {@link Script} {@code compaction/picker.txt}.
 *
 * <pre>
 * options key=value ...     the table's options from here on
 * levels                    sets the tree; lines "L0: 10 20" (newest first) or "L5: 1000": sizes of files
 * pick | full               the plan: runs taken, output level, what becomes of deletes
 * </pre>
 */
class CompactionPickerTest {

  private Map<String, String> options = Map.of();
  private List<DataFileMeta> files = List.of();
  private int names;

  @Test
  void picksAsTheScriptSays() throws Exception {
    Script script = Script.load("compaction/picker.txt");
    assertThat(script.run(this::execute)).isEqualTo(script.expected());
  }

  private String execute(List<String> block) {
    String[] words = block.get(0).split(" ");
    switch (words[0]) {
      case "options":
        options = new HashMap<>();
        for (int i = 1; i < words.length; i++) {
          options.put(words[i].split("=")[0], words[i].split("=")[1]);
        }
        return "ok\n";
      case "levels":
        files = new ArrayList<>();
        for (String line : block.subList(1, block.size())) {
          addLevel(line);
        }
        return describe(levels().runs()) + "\n";
      case "pick":
        return describe(picker().pick(levels()));
      case "full":
        return describe(picker().pickFull(levels()));
      default:
        throw new AssertionError("No command " + block);
    }
  }

  private void addLevel(String line) {
    int level = Integer.parseInt(line.substring(1, line.indexOf(':')));
    String[] sizes = line.substring(line.indexOf(':') + 1).trim().split(" ");
    for (int i = 0; i < sizes.length; i++) {
      // Files of level 0 all overlap, newest first; deeper ones lie side by side.
      int min = level == 0 ? 0 : 1000 * i;
      DataFileMeta file = TestFiles.file("f" + names++, level, min, min + 999);
      files.add(sized(file, Long.parseLong(sizes[i]), level == 0 ? 1_000 - i : 1));
    }
  }

  private static DataFileMeta sized(DataFileMeta file, long size, long sequence) {
    return new DataFileMeta(
        file.fileName(),
        size,
        file.rowCount(),
        file.minKey(),
        file.maxKey(),
        file.keyStats(),
        file.valueStats(),
        sequence,
        sequence,
        file.schemaId(),
        file.level(),
        file.extraFiles(),
        file.creationTimeMillis(),
        0L,
        null,
        file.fileSource(),
        file.valueStatsCols(),
        null,
        null,
        null);
  }

  private TableSchema schema() {
    return TestFiles.schema(options);
  }

  private Levels levels() {
    return Levels.of(
        new SerializedKeyComparator(schema()),
        TableOptions.of(schema()).compaction().levels(),
        files);
  }

  private CompactionPicker picker() {
    return CompactionPicker.of(TableOptions.of(schema()));
  }

  private static String describe(Optional<CompactionPlan> plan) {
    return plan.map(
                p ->
                    describe(p.runs())
                        + " -> L"
                        + p.outputLevel()
                        + (p.deletes() == CompactionPlan.Deletes.DROPPED
                            ? ", deletes dropped"
                            : ""))
            .orElse("nothing")
        + "\n";
  }

  private static String describe(List<SortedRun> runs) {
    List<String> texts = new ArrayList<>();
    for (SortedRun run : runs) {
      texts.add("L" + run.level() + ":" + run.bytes());
    }
    return String.join(" ", texts);
  }
}
