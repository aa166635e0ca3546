package io.sluice.replicator.letters;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which letters are meant: those that fulfil all that is said.
 *
 * @param names {@link KeptLetter#name}; empty: any
 * @param table lake table that they were meant for; empty: any
 * @param source topic or table that they came from; empty: any
 * @param reason empty: any
 * @param sinceMillis set aside, or whatever became of them last, then or later, epoch milliseconds;
 *     0: at any time
 */
public record LetterSelection(
    List<String> names,
    Optional<String> table,
    Optional<String> source,
    Optional<String> reason,
    long sinceMillis) {

  /** All letters. */
  public static final LetterSelection ALL =
      new LetterSelection(List.of(), Optional.empty(), Optional.empty(), Optional.empty(), 0);

  public LetterSelection {
    names = List.copyOf(names);
  }

  /** Whether a letter is meant. */
  public boolean matches(KeptLetter kept) {
    return (names.isEmpty() || names.contains(kept.name()))
        && isIn(table, kept.letter().table())
        && isIn(source, kept.letter().source())
        && isIn(reason, kept.letter().reason())
        && kept.stateMillis() >= sinceMillis;
  }

  private static boolean isIn(Optional<String> wanted, @Nullable String found) {
    return wanted.isEmpty() || wanted.get().equals(found);
  }

  /** Puts it into a request. */
  public void writeTo(ObjectNode node) {
    if (!names.isEmpty()) {
      ArrayNode array = node.putArray("letters");
      names.forEach(array::add);
    }
    table.ifPresent(text -> node.put("table", text));
    source.ifPresent(text -> node.put("source", text));
    reason.ifPresent(text -> node.put("reason", text));
    if (sinceMillis > 0) {
      node.put("since", sinceMillis);
    }
  }

  /** What {@link #writeTo} has put there. */
  public static LetterSelection readFrom(JsonNode node) {
    List<String> names = new ArrayList<>();
    node.path("letters").forEach(name -> names.add(name.asText()));
    return new LetterSelection(
        names,
        text(node, "table"),
        text(node, "source"),
        text(node, "reason"),
        node.path("since").asLong());
  }

  private static Optional<String> text(JsonNode node, String name) {
    return node.hasNonNull(name) ? Optional.of(node.get(name).asText()) : Optional.empty();
  }
}
