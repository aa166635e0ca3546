package io.sluice.replicator.sources.debezium;

import com.github.shyiko.mysql.binlog.network.ServerException;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.TableRefusedException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What the engine's and the driver's errors mean to an operator. Pure. */
public final class SourceFailures {

  private static final int BINLOG_READ_ERROR = 1236;
  private static final int ACCESS_DENIED = 1045;

  /** Debezium's words for a value that its converters don't know: database.table.column, type. */
  private static final Pattern UNCONVERTED =
      Pattern.compile("Failed to properly convert (?:data|key) value for '(.+?)' of type (\\S+)");

  /** Debezium's words for an ALTER that doesn't fit the definition it has. */
  private static final String NO_SUCH_COLUMN = "Trying to change column";

  private SourceFailures() {}

  /**
   * @param message what the engine says beside the error; may be null
   */
  static PipelineStoppedException explain(
      SourceSettings settings, @Nullable String message, @Nullable Throwable error) {
    for (Throwable cause : causes(error)) {
      if (cause instanceof PipelineStoppedException known) {
        return known;
      }
      if (cause instanceof TableRefusedException refused) {
        return new PipelineStoppedException(refused.reason(), text(refused), refused);
      }
    }
    String said = said(message, error);
    String where = settings.flavor() + " at " + settings.host() + ":" + settings.port();
    if (said.contains("same server_uuid/server_id")) {
      return new PipelineStoppedException(
          Reason.UNREACHABLE,
          "The "
              + where
              + " has another replica with server id "
              + settings.serverId()
              + ", and serves only one of the two. Give this pipeline a number of its own"
              + " (source.server-id). ("
              + said
              + ")",
          error);
    }
    if (isGap(said, error)) {
      return gap(where, said, error);
    }
    if (said.contains("Access denied") || hasCode(error, ACCESS_DENIED)) {
      return new PipelineStoppedException(
          Reason.UNREACHABLE,
          "The "
              + where
              + " refuses user '"
              + settings.user()
              + "': wrong password, or the user may not connect from this host. ("
              + said
              + ")",
          error);
    }
    if (said.contains("internal schema size")) {
      return new WrongDefinitionException(
          "A row in the binlog of the "
              + where
              + " lacks columns: some session writes with binlog_row_image MINIMAL or NOBLOB. Set"
              + " binlog_row_image=FULL globally and in all sessions, then copy the changed tables"
              + " again. ("
              + said
              + ")",
          error);
    }
    Matcher unconverted = UNCONVERTED.matcher(said);
    if (unconverted.find()) {
      return new PipelineStoppedException(
          Reason.REFUSED,
          "A row in the binlog of the "
              + where
              + " has a value in "
              + unconverted.group(1)
              + " ("
              + unconverted.group(2)
              + ") that can't be read. Correct it at the source and copy that table again under a"
              + " new pipeline name, or exclude the table. ("
              + said
              + ")",
          error);
    }
    if (said.contains("whose schema isn't known")) {
      return new PipelineStoppedException(
          Reason.MISCONFIGURED,
          "A change came of a table of the "
              + where
              + " whose definition isn't known: its database has come into source.include after"
              + " this pipeline began, or was left out of it for a while. Replicate it by a pipeline"
              + " of its own (another file, another name), or take it out of source.include. ("
              + said
              + ")",
          error);
    }
    if (said.contains("no viable alternative")
        || said.contains("mismatched input")
        || said.contains("ParsingException")
        || said.contains(NO_SUCH_COLUMN)) {
      String text =
          "A table definition or DDL of the "
              + where
              + " can't be read by Debezium's parser; exclude that database, or change the"
              + " definition. ("
              + said
              + ")";
      return said.contains(NO_SUCH_COLUMN)
          ? new WrongDefinitionException(text, error)
          : new PipelineStoppedException(Reason.REFUSED, text, error);
    }
    if (isTransport(said, error)) {
      return new PipelineStoppedException(
          Reason.UNREACHABLE, "The " + where + " can't be reached: " + said, error);
    }
    return new PipelineStoppedException(
        Reason.UNREACHABLE, "The source " + where + " failed: " + said, error);
  }

  private static boolean isGap(String said, @Nullable Throwable error) {
    return said.contains("no longer available on the server")
        || hasCode(error, BINLOG_READ_ERROR)
        || said.contains("Could not find first log file name")
        || said.contains("purged");
  }

  /**
   * @param said what is missing
   */
  static PipelineStoppedException gap(String where, String said, @Nullable Throwable error) {
    return new PipelineStoppedException(
        Reason.PROTECTED,
        "State \"gap\": the binlog that the pipeline has to go on from is no longer on the "
            + where
            + " (purged, reset, or another server). Going on elsewhere would lose changes, so the"
            + " pipeline stops; its tables stay as they are. Way out: copy the tables again"
            + " (sluice resync -c FILE --all, then start it), and keep binlogs longer"
            + " (binlog_expire_logs_seconds). ("
            + said
            + ")",
        error);
  }

  private static boolean isTransport(String said, @Nullable Throwable error) {
    for (Throwable cause : causes(error)) {
      if (cause instanceof java.io.IOException
          || (cause instanceof SQLException sql
              && sql.getSQLState() != null
              && sql.getSQLState().startsWith("08"))) {
        return true;
      }
    }
    return said.contains("Communications link failure")
        || said.contains("Unable to connect")
        || said.contains("Connection refused");
  }

  private static boolean hasCode(@Nullable Throwable error, int code) {
    for (Throwable cause : causes(error)) {
      if ((cause instanceof ServerException server && server.getErrorCode() == code)
          || (cause instanceof SQLException sql && sql.getErrorCode() == code)) {
        return true;
      }
    }
    return false;
  }

  private static String text(Throwable error) {
    String text = error.getMessage();
    return text == null ? error.toString() : text;
  }

  /** The innermost message says what happened; the engine's own stands before it if it adds. */
  private static String said(@Nullable String message, @Nullable Throwable error) {
    List<String> parts = new ArrayList<>();
    if (message != null && !message.isBlank()) {
      parts.add(message.strip());
    }
    for (Throwable cause : causes(error)) {
      String text = text(cause).strip();
      if (parts.stream().noneMatch(part -> part.contains(text) || text.startsWith(part))) {
        parts.add(text);
      }
    }
    return parts.isEmpty() ? "no reason given" : String.join(": ", parts);
  }

  private static List<Throwable> causes(@Nullable Throwable error) {
    var result = new ArrayList<Throwable>();
    Throwable at = error;
    while (at != null && !result.contains(at)) {
      result.add(at);
      at = at.getCause();
    }
    return result;
  }
}
