package io.sluice.sinks.pipeline;

import io.sluice.lsm.io.FileIO;
import io.sluice.sinks.pipeline.OrdersWorld.Actor;
import io.sluice.sinks.pipeline.OrdersWorld.Rule;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A program's way to storage. A rule that is taken away is taken away here: storage gives a daemon
 * the answers that it would go by if it didn't know the rule.
 */
final class OrdersStorage implements FileIO {

  private static final String EPOCH_FILE = "/_sluice/" + OrdersWorld.PIPELINE + "/epoch-";

  private final OrdersWorld world;
  private final @Nullable Actor actor;
  private final Set<Rule> without;
  private byte @Nullable [] mine;
  private @Nullable String minePath;

  /**
   * @param actor null: looks without being seen
   */
  OrdersStorage(OrdersWorld world, @Nullable Actor actor) {
    this.world = world;
    this.actor = actor;
    this.without = actor != null && actor.daemon ? world.scenario.without() : Set.of();
  }

  private <T> T operate(
      String verb, String path, @Nullable Runnable late, OrdersWorld.Operation<T> operation)
      throws IOException {
    return actor == null ? operation.run() : world.operate(actor, verb, path, late, operation);
  }

  private boolean isPin(String path) {
    return path.contains("/consumer/") && without.contains(Rule.R4_PIN);
  }

  @Override
  public RandomReader open(String path) throws IOException {
    byte[] content = readAll(path);
    return new RandomReader() {
      @Override
      public long length() {
        return content.length;
      }

      @Override
      public void readFully(long position, byte[] into, int offset, int length) throws IOException {
        if (position < 0 || position + length > content.length) {
          throw new EOFException(path + " has " + content.length + " bytes");
        }
        System.arraycopy(content, (int) position, into, offset, length);
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public byte[] readAll(String path) throws IOException {
    byte[] content =
        operate(
            "read",
            path,
            null,
            () -> {
              byte[] there = world.shelf.get(path);
              if (there == null) {
                throw new FileNotFoundException("There is no file " + path);
              }
              return there;
            });
    byte[] own = mine;
    if (own != null && path.equals(minePath)) {
      if (without.contains(Rule.R2_READ_BACK_NOT_TRUST)) {
        return own;
      }
      if (without.contains(Rule.R2_READ_BACK_NOT_DOUBT)) {
        return new String(own, StandardCharsets.UTF_8)
            .replaceAll("(\"incarnation\"\\s*:\\s*\")", "$1not-")
            .getBytes(StandardCharsets.UTF_8);
      }
    }
    if (path.contains("/snapshot-") && without.contains(Rule.R3_LOOK_FOR_OURS)) {
      return new String(content, StandardCharsets.UTF_8)
          .replace("sluice.epoch", "sluice.other")
          .getBytes(StandardCharsets.UTF_8);
    }
    return content;
  }

  @Override
  public OutputStream create(String path) throws IOException {
    return new ByteArrayOutputStream() {
      private boolean closed;

      @Override
      public void close() throws IOException {
        if (!closed) {
          closed = true;
          if (!createExclusively(path, toByteArray())) {
            throw new AssertionError("Two files have one name: " + path);
          }
        }
      }
    };
  }

  /** Number of the epoch file that was last tried to be created; 0: none. */
  private long tried;

  @Override
  public boolean createExclusively(String path, byte[] content) throws IOException {
    if (isPin(path)) {
      return true;
    }
    boolean epoch = path.contains(EPOCH_FILE);
    if (epoch) {
      mine = null;
      tried = Long.parseLong(path.substring(path.lastIndexOf('-') + 1));
    }
    try {
      boolean created =
          operate(
              "create",
              path,
              () -> {
                if (world.shelf.create(path, content) && epoch) {
                  owns(path);
                }
              },
              () -> {
                boolean done = world.shelf.create(path, content);
                if (done && epoch) {
                  owns(path);
                }
                return done;
              });
      if (epoch && created && actor != null) {
        actor.afterEpochFile.run();
      }
      if (epoch && !created) {
        mine = content;
        minePath = path;
      }
      return created;
    } catch (IOException e) {
      if (epoch) {
        mine = content;
        minePath = path;
      }
      throw e;
    }
  }

  private void owns(String path) {
    if (actor != null) {
      actor.lastEpoch = Long.parseLong(path.substring(path.lastIndexOf('-') + 1));
    }
  }

  @Override
  public void replace(String path, byte[] content) throws IOException {
    if (isPin(path)) {
      return;
    }
    operate(
        "replace",
        path,
        () -> world.shelf.put(path, content),
        () -> {
          world.shelf.put(path, content);
          return true;
        });
  }

  @Override
  public boolean delete(String path) throws IOException {
    return operate("delete", path, () -> world.shelf.remove(path), () -> world.shelf.remove(path));
  }

  @Override
  public boolean exists(String path) throws IOException {
    if (path.contains("/snapshot-") && without.contains(Rule.R5_HOLE)) {
      return true;
    }
    return operate("exists", path, null, () -> world.shelf.exists(path));
  }

  /** That the epoch before is gone would tell the same as what is taken away. */
  private List<FileStatus> withPredecessor(List<FileStatus> files, String folder) {
    long before = tried - 1;
    if (before < 1 || files.stream().anyMatch(file -> numberOf(file) == before)) {
      return files;
    }
    var result = new ArrayList<>(files);
    result.add(new FileStatus(String.format("%s/epoch-%020d", folder, before), false, 0, 0));
    return result;
  }

  /** 0 for another file than an epoch's. */
  private static long numberOf(FileStatus file) {
    return file.name().startsWith("epoch-")
        ? Long.parseLong(file.name().substring("epoch-".length()))
        : 0;
  }

  @Override
  public List<FileStatus> list(String folder) throws IOException {
    List<FileStatus> all = operate("list", folder + "/", null, () -> world.shelf.list(folder));
    if (folder.endsWith("/consumer") && world.scenario.without().contains(Rule.R4_PIN)) {
      return List.of();
    }
    boolean epochs = folder.endsWith("/_sluice/" + OrdersWorld.PIPELINE);
    if (epochs && actor != null && actor.lastEpoch > 0) {
      if (without.contains(Rule.R1_LIST_AFTER_CREATION)) {
        long last = actor.lastEpoch;
        return withPredecessor(
            all.stream().filter(file -> numberOf(file) <= last).toList(), folder);
      }
      if (without.contains(Rule.R2_READ_BACK_NOT_TRUST)) {
        return withPredecessor(all, folder);
      }
    }
    return all;
  }

  @Override
  public void makeFolder(String folder) {
    // Folders are what the paths of files imply.
  }

  @Override
  public void deleteQuietly(String path) {
    try {
      delete(path);
    } catch (IOException e) {
      // Quietly: the fault has had its effect.
      return;
    }
  }
}
