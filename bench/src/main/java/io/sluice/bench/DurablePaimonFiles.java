package io.sluice.bench;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.apache.paimon.fs.local.LocalFileIO;

/**
 * Paimon's files on a local disk with the durability of Sluice's: a file is synced when it is
 * closed, its folder as well; a temporary one's folder only once it has its final name; hints are
 * not. Paimon's own never sync.
 */
final class DurablePaimonFiles extends LocalFileIO {

  private static final long serialVersionUID = 1L;

  private static final Set<String> HINTS = Set.of("LATEST", "EARLIEST");

  @Override
  public PositionOutputStream newOutputStream(Path path, boolean overwrite) throws IOException {
    PositionOutputStream out = super.newOutputStream(path, overwrite);
    return isHint(path) ? out : new Synced(out, path);
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    boolean done = super.rename(from, to);
    if (done && !isHint(to)) {
      sync(to.getParent());
    }
    return done;
  }

  /** Or a file that will be one: it is written under a name that begins with a dot. */
  private static boolean isHint(Path path) {
    return HINTS.stream().anyMatch(hint -> path.getName().matches("\\.?" + hint + "\\b.*"));
  }

  private void sync(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(toFile(path).toPath(), StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private final class Synced extends PositionOutputStream {
    private final PositionOutputStream out;
    private final Path path;
    private boolean closed;

    Synced(PositionOutputStream out, Path path) {
      this.out = out;
      this.path = path;
    }

    @Override
    public long getPos() throws IOException {
      return out.getPos();
    }

    @Override
    public void write(int value) throws IOException {
      out.write(value);
    }

    @Override
    public void write(byte[] bytes) throws IOException {
      out.write(bytes);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
      out.flush();
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      out.close();
      sync(path);
      if (!path.getName().startsWith(".")) {
        sync(path.getParent());
      }
    }
  }
}
