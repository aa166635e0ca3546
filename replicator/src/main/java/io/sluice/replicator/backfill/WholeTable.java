package io.sluice.replicator.backfill;

import io.sluice.evolution.SourceTableId;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.ChunkOutdatedException;
import io.sluice.sinks.KeyStretch;
import io.sluice.sinks.RoutedTable;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A table that has a lake table of its own. */
final class WholeTable implements CopiedTable {

  private final SourceTableId source;
  private final BackfillInput input;
  private final Function<SourceTableId, Optional<RoutedTable>> routed;

  WholeTable(
      SourceTableId source,
      BackfillInput input,
      Function<SourceTableId, Optional<RoutedTable>> routed) {
    this.source = source;
    this.input = input;
    this.routed = routed;
  }

  @Override
  public SourceTableId source() {
    return source;
  }

  @Override
  public Optional<Version> now() {
    return routed.apply(source).map(Version::ofCopy);
  }

  @Override
  public BackfillProgress progress() {
    return BackfillProgress.parse(input.progress().get(source));
  }

  @Override
  public BackfillInput.Chunk openChunk(Version version) {
    return input.openChunk(version.target());
  }

  @Override
  public boolean progress(Version version, String progress) {
    return input.progress(version.target(), progress);
  }

  @Override
  public boolean park(String reason) {
    return input.park(source, reason);
  }

  @Override
  public boolean mustSweep() {
    return input.mustSweep(source);
  }

  @Override
  public long sweep(Version version, @Nullable KeyStretch keys)
      throws ChunkOutdatedException, InterruptedException, IOException {
    return input.sweep(version.target(), keys);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof WholeTable that && source.equals(that.source);
  }

  @Override
  public int hashCode() {
    return source.hashCode();
  }

  @Override
  public String toString() {
    return source.toString();
  }
}
