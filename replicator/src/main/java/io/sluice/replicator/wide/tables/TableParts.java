package io.sluice.replicator.wide.tables;

import io.sluice.config.LakeTarget;
import io.sluice.config.TableDefaults;
import io.sluice.config.TableRouting;
import io.sluice.config.TablesConfig;
import io.sluice.config.WidePart;
import io.sluice.config.WideRule;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.backfill.CopiedTable;
import io.sluice.replicator.wide.WideColumns;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.TableRefusedException;
import io.sluice.sinks.TableTarget;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A database's tables as parts of wide tables. The stream tells their definitions; the wide table's
 * own follows from them and from the rule: a column has the type that the rule says, else the one
 * that holds the values of all columns that fill it.
 *
 * <p>Of the stream's thread, but for {@link #takes}, {@link #target} and {@link #isParked}, which
 * are thread safe.
 */
public final class TableParts {

  /** What it needs of a run of the pipeline. */
  public record Pipeline(
      ChangeInput input, BackfillInput copies, BiConsumer<CopiedTable, CopiedTable.Version> copy) {}

  private final TableRouting routing;
  private final List<Wide> wides = new ArrayList<>();
  private @Nullable Pipeline pipeline;

  /**
   * @param lake the lake table of a wide rule
   */
  public TableParts(TableRouting routing, Function<WideRule, LakeTarget> lake) {
    this.routing = routing;
    for (WideRule rule : routing.wideRules()) {
      wides.add(new Wide(new WideColumns(rule), lake.apply(rule)));
    }
  }

  /** For a source without wide tables. */
  public static TableParts none() {
    var nothing =
        new TablesConfig(
            new TableDefaults(OptionalInt.empty(), 1, "orc", Map.of(), false),
            List.of(),
            List.of(),
            List.of());
    return new TableParts(
        new TableRouting(List.of(), List.of(), nothing),
        rule -> {
          throw new IllegalStateException("There is no rule");
        });
  }

  /**
   * What would become of a wide table.
   *
   * @param target with the table's options
   * @param definition null: nothing fills it yet, or its key has no type
   * @param problems sentences: in the way of a start
   */
  public record Plan(TableTarget target, @Nullable SourceTable definition, List<String> problems) {
    public Plan {
      problems = List.copyOf(problems);
    }
  }

  /** The same for tables as they are now, without a pipeline. */
  public List<Plan> plan(List<SourceTable> tables) {
    List<Plan> result = new ArrayList<>();
    for (Wide wide : wides) {
      List<String> problems = new ArrayList<>();
      SourceTable definition = null;
      for (SourceTable table : tables) {
        try {
          if (wide.sources.takes(table.id())) {
            wide.define(table);
          }
        } catch (TableRefusedException e) {
          problems.add(String.valueOf(e.getMessage()));
        }
      }
      try {
        definition = wide.sources.wanted();
      } catch (TableRefusedException e) {
        problems.add(String.valueOf(e.getMessage()));
      }
      TableTarget target =
          definition == null ? wide.target : wide.columns.target(wide.lake, definition);
      result.add(new Plan(target, definition, problems));
    }
    return result;
  }

  /** Once, before definitions and rows come. */
  public void begin(Pipeline run) {
    this.pipeline = run;
  }

  private Pipeline pipeline() {
    Pipeline run = pipeline;
    if (run == null) {
      throw new IllegalStateException("There is no pipeline yet");
    }
    return run;
  }

  /** Whether a captured table fills a part. */
  public boolean takes(SourceTableId table) {
    return routing.fillsPart(table.database(), table.table());
  }

  /** Where a wide table goes; empty if it is none. */
  public Optional<TableTarget> target(SourceTableId table) {
    return wides.stream()
        .filter(wide -> wide.columns.id().equals(table))
        .findFirst()
        .map(wide -> wide.target);
  }

  /** Whether this is a wide table, by the name that the pipeline knows it by. */
  public boolean isWide(SourceTableId table) {
    return wides.stream().anyMatch(wide -> wide.columns.id().equals(table));
  }

  /** Whether all wide tables that a table fills are parked; false if it fills none. */
  public boolean isParked(SourceTableId table) {
    boolean fills = false;
    for (Wide wide : wides) {
      if (wide.sources.takes(table)) {
        fills = true;
        if (!pipeline().input().isParked(wide.columns.id())) {
          return false;
        }
      }
    }
    return fills;
  }

  /** Parts that a table fills now; none where its wide table is parked. */
  public List<TablePart> of(SourceTableId table) {
    List<TablePart> result = new ArrayList<>();
    for (Wide wide : wides) {
      for (TablePart part : wide.parts) {
        if (part.source().equals(table) && part.now().isPresent()) {
          result.add(part);
        }
      }
    }
    return result;
  }

  /**
   * What a table looks like, or has become. Nothing is written yet, see {@link #route}.
   *
   * @throws TableRefusedException a wide table can't be filled by it, or can't follow the change,
   *     and tables aren't parked
   */
  public void defined(SourceTable definition) {
    for (Wide wide : wides) {
      if (wide.sources.takes(definition.id())) {
        attempt(wide, () -> wide.define(definition));
      }
    }
  }

  /**
   * The wide tables become what the definitions make of them.
   *
   * @param restored whether the definitions are those that an epoch knew: no schema is changed then
   * @throws TableRefusedException one can't, and tables aren't parked
   */
  public void route(boolean restored) {
    for (Wide wide : wides) {
      attempt(wide, () -> wide.route(restored));
    }
  }

  private void attempt(Wide wide, Runnable work) {
    if (pipeline().input().isParked(wide.columns.id())) {
      wide.end();
      return;
    }
    try {
      work.run();
    } catch (TableRefusedException e) {
      if (!park(wide, String.valueOf(e.getMessage()))) {
        throw e;
      }
    }
  }

  private boolean park(Wide wide, String reason) {
    if (!pipeline().input().park(wide.columns.id(), reason)) {
      return false;
    }
    wide.end();
    return true;
  }

  /**
   * A table's rows can't be followed from here on: all wide tables that it fills are parked.
   *
   * @return false if the pipeline parks none: the caller stops
   */
  public boolean park(SourceTableId table, String reason) {
    boolean parked = true;
    for (Wide wide : wides) {
      if (wide.sources.takes(table)) {
        parked &= park(wide, reason);
      }
    }
    return parked;
  }

  /**
   * A parked wide table is filled anew: all its parts are copied. Its lake table must be empty or
   * gone, since what its sources have deleted meanwhile would stay.
   *
   * @param tables what its sources look like now
   * @throws TableRefusedException it can't be; nothing has changed
   */
  public void resync(SourceTableId table, Collection<SourceTable> tables) {
    for (Wide wide : wides) {
      if (wide.columns.id().equals(table)) {
        wide.resync(tables);
      }
    }
  }

  /** One wide table of this pipeline. */
  private final class Wide {
    private final WideColumns columns;
    private final LakeTarget lake;
    private final ReentrantLock storing = new ReentrantLock();
    private final PartDefinitions sources;
    private final List<TablePart> parts = new ArrayList<>();
    private volatile TableTarget target;
    private @Nullable SourceTable definition;
    private boolean redefined;
    private long generation;

    Wide(WideColumns columns, LakeTarget lake) {
      this.columns = columns;
      this.lake = lake;
      this.sources = new PartDefinitions(columns, lake, routing);
      SourceTable declared = columns.declared();
      this.target =
          columns.target(
              lake,
              declared == null ? new SourceTable(columns.id(), List.of(), List.of()) : declared);
    }

    void end() {
      parts.forEach(TablePart::end);
    }

    void define(SourceTable table) {
      redefined |= sources.define(table);
    }

    void route(boolean restored) {
      if (!redefined) {
        return;
      }
      SourceTable wanted = sources.wanted();
      if (wanted == null) {
        return;
      }
      redefined = false;
      RoutedTable routed = routed(wanted, restored);
      if (routed == null) {
        end();
      } else {
        fill(routed);
      }
    }

    void resync(Collection<SourceTable> tables) {
      if (!pipeline().input().isParked(columns.id())) {
        throw sources.refused("it is not parked, and can be filled anew only when it is.");
      }
      if (columns.rule().isShared()) {
        throw sources.refused(
            "other pipelines fill it too, and their rows are in the folder that would have to be"
                + " moved away. Give the table another name with into, in the rule of every"
                + " pipeline: it is filled anew then.");
      }
      sources.clear();
      for (SourceTable table : tables) {
        if (sources.takes(table.id())) {
          sources.define(table);
        }
      }
      SourceTable wanted = sources.wanted();
      if (wanted == null) {
        throw sources.refused("no table fills it.");
      }
      target = columns.target(lake, wanted);
      definition = wanted;
      redefined = false;
      fill(pipeline().input().resync(wanted, null));
    }

    private void fill(RoutedTable routed) {
      generation++;
      for (SourceTable source : sources.all()) {
        for (WidePart part : sources.partsOf(source.id())) {
          TablePart filled = part(part, source.id());
          CopiedTable.Version version = filled.become(source, routed, generation);
          pipeline().copy().accept(filled, version);
        }
      }
    }

    private @Nullable RoutedTable routed(SourceTable wanted, boolean restored) {
      ChangeInput input = pipeline().input();
      if (wanted.equals(definition)) {
        return input.routed(columns.id()).orElse(null);
      }
      target = columns.target(lake, wanted);
      RoutedTable routed =
          (restored ? input.restoreTable(wanted) : input.tableChanged(wanted, null)).orElse(null);
      definition = wanted;
      return routed;
    }

    private TablePart part(WidePart part, SourceTableId source) {
      TablePart made =
          new TablePart(
              columns, part, source, pipeline().copies(), pipeline().input()::routed, storing);
      int known = parts.indexOf(made);
      if (known >= 0) {
        return parts.get(known);
      }
      parts.add(made);
      return made;
    }
  }
}
