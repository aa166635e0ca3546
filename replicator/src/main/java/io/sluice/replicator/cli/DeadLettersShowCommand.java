package io.sluice.replicator.cli;

import io.sluice.config.ConfigProblemsException;
import io.sluice.config.SluiceConfig;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.replicator.letters.KeptLetter;
import io.sluice.replicator.letters.LetterBox;
import io.sluice.replicator.letters.LetterSelection;
import io.sluice.sinks.DeadLetter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows one dead letter. */
@Command(
    name = "show",
    description = {"Shows one letter: where it came from, what is wrong with it, its bytes."})
final class DeadLettersShowCommand implements Callable<Integer> {

  /** More of it would only roll by. */
  private static final int SHOWN_BYTES_MAX = 16 << 10;

  private final Context context;

  @Mixin private ConfigArgument config = new ConfigArgument();

  @Parameters(paramLabel = "LETTER", description = "Its name, as list tells it: orders-0@17.")
  private String name = "";

  @Option(
      names = "--raw",
      description = "Write the bytes of its value to the standard output, and nothing else.")
  private boolean raw;

  DeadLettersShowCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws ConfigProblemsException, IOException, InterruptedException {
    SluiceConfig loaded = config.load(context);
    try (FileIO fileIO = FileIOs.forUri(loaded.warehouse(), context.freshIds())) {
      LetterBox box = DeadLettersCommand.box(loaded, fileIO, context);
      List<KeptLetter> found =
          box.list(
              new LetterSelection(
                  List.of(name), Optional.empty(), Optional.empty(), Optional.empty(), 0));
      if (found.isEmpty()) {
        throw new CommandFailedException(
            ExitCode.USAGE,
            "Pipeline "
                + loaded.pipeline()
                + " has set nothing aside that is called "
                + name
                + ". 'sluice dead-letters list -c FILE --all' lists what there is.");
      }
      // A topic that was made anew has the same offsets again: the newest is meant.
      box.open(found.get(found.size() - 1), raw ? this::write : this::show);
      if (found.size() > 1 && !raw) {
        context.out().println("older     " + (found.size() - 1) + " of the same name");
      }
    }
    context.out().flush();
    return ExitCode.OK;
  }

  private void write(KeptLetter kept) throws IOException {
    byte[] value = kept.letter().value();
    if (value != null) {
      context.bytes().write(value);
    }
    context.bytes().flush();
  }

  private void show(KeptLetter kept) {
    DeadLetter letter = kept.letter();
    say("letter", kept.name());
    say("source", letter.source());
    say("position", letter.position());
    say("state", kept.state().text() + " since " + SnapshotArgument.shown(kept.stateMillis()));
    say("table", letter.table() == null ? "not known" : letter.table());
    say("reason", letter.reason());
    say("detail", letter.detail());
    say("time", letter.timeMillis() < 0 ? "none" : SnapshotArgument.shown(letter.timeMillis()));
    say("number", Long.toString(kept.sequence()));
    say("headers", letter.headers() == null ? "none" : letter.headers());
    say("key", shown(letter.key()));
    say("value", shown(letter.value()));
  }

  private void say(String what, String text) {
    context.out().println(what + " ".repeat(10 - what.length()) + printable(text));
  }

  /** What a record holds must not move the cursor or colour the terminal. */
  private static String printable(String text) {
    StringBuilder result = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              if (c != '\n' && c != '\t' && Character.isISOControl(c)) {
                result.append(String.format("\\u%04x", c));
              } else {
                result.appendCodePoint(c);
              }
            });
    return result.toString();
  }

  /** Text where it is UTF-8, else hexadecimal. */
  private static String shown(byte @Nullable [] bytes) {
    if (bytes == null) {
      return "none";
    }
    if (bytes.length == 0) {
      return "empty";
    }
    boolean cut = bytes.length > SHOWN_BYTES_MAX;
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      text = cut ? text.substring(0, Math.min(text.length(), SHOWN_BYTES_MAX)) : text;
    } catch (CharacterCodingException e) {
      text = "hex " + HexFormat.of().formatHex(cut ? Arrays.copyOf(bytes, SHOWN_BYTES_MAX) : bytes);
    }
    return cut ? text + "… (of " + bytes.length + " bytes; --raw writes a value whole)" : text;
  }
}
