package io.sluice.replicator.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.lsm.io.FileIO;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code _sluice/<pipeline>/lease}: a courtesy that keeps a second daemon of one pipeline from
 * starting by mistake. It fences nothing: that is done by the epoch files.
 */
final class Lease implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Lease.class);
  private static final Duration RENEWAL = Duration.ofSeconds(5);
  private static final Duration WATCH = Duration.ofSeconds(15);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final FileIO fileIO;
  private final String path;
  private final String id;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private long beat;

  private Lease(FileIO fileIO, String path, String id) {
    this.fileIO = fileIO;
    this.path = path;
    this.id = id;
  }

  /**
   * Takes the lease, if need be after watching the present one for 15 s.
   *
   * @param stop ends the watching
   * @throws PipelineStoppedException PROTECTED if another daemon renews it, UNREACHABLE if the
   *     warehouse can't be written, CLOSED if stopped
   */
  static Lease take(
      FileIO fileIO, String warehouse, String pipeline, String id, CompletableFuture<Void> stop) {
    String folder = warehouse + "/_sluice/" + pipeline;
    var lease = new Lease(fileIO, folder + "/lease", id);
    try {
      Optional<String> present = lease.read();
      if (present.isPresent() && !holderIsDead(present.get())) {
        lease.watch(present.get(), stop);
      }
      fileIO.makeFolder(folder);
      lease.write();
    } catch (IOException e) {
      throw new PipelineStoppedException(
          Reason.UNREACHABLE, "The warehouse " + warehouse + " can't be written: " + e, e);
    }
    var thread = new Thread(lease::renew, pipeline + "-lease");
    thread.setDaemon(true);
    thread.start();
    return lease;
  }

  private Optional<String> read() throws IOException {
    try {
      return Optional.of(new String(fileIO.readAll(path), StandardCharsets.UTF_8));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
  }

  /** Known only on the same machine since the same boot. */
  private static boolean holderIsDead(String text) throws IOException {
    JsonNode holder = parse(text);
    if (bootId().isEmpty() || !holder.path("boot").asText().equals(bootId())) {
      return false;
    }
    long pid = holder.path("pid").asLong(-1);
    return ProcessHandle.of(pid).map(Lease::start).orElse(-1L) != holder.path("started").asLong();
  }

  private static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      return JSON.createObjectNode();
    }
  }

  private static long start(ProcessHandle process) {
    return process.info().startInstant().map(java.time.Instant::toEpochMilli).orElse(0L);
  }

  private void watch(String present, CompletableFuture<Void> stop) throws IOException {
    LOG.info(
        "The lease {} names another daemon ({}); watching for {} s whether it is renewed",
        path,
        present,
        WATCH.toSeconds());
    for (int second = 0; second < WATCH.toSeconds(); second++) {
      if (await(stop, Duration.ofSeconds(1))) {
        throw new PipelineStoppedException(Reason.CLOSED, "Asked to stop");
      }
      Optional<String> now = read();
      if (now.isEmpty()) {
        return;
      }
      if (!now.get().equals(present)) {
        throw new PipelineStoppedException(
            Reason.PROTECTED,
            "Another daemon runs this pipeline: "
                + now.get()
                + " (it renews "
                + path
                + "). Stop it first.");
      }
    }
  }

  private synchronized void write() throws IOException {
    if (closed.isDone()) {
      return;
    }
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      host = "unknown";
    }
    ProcessHandle own = ProcessHandle.current();
    String text =
        JSON.createObjectNode()
            .put("host", host)
            .put("boot", bootId())
            .put("pid", own.pid())
            .put("started", start(own))
            .put("id", id)
            .put("beat", ++beat)
            .toString();
    fileIO.replace(path, text.getBytes(StandardCharsets.UTF_8));
  }

  private void renew() {
    while (!await(closed, RENEWAL)) {
      try {
        write();
      } catch (IOException e) {
        LOG.warn("The lease {} can't be renewed: {}", path, e.toString());
      }
    }
  }

  /** Whether it was completed within this time. */
  static boolean await(CompletableFuture<?> future, Duration time) {
    try {
      future.get(time.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private static String bootId() throws IOException {
    Path file = Path.of("/proc/sys/kernel/random/boot_id");
    return Files.isReadable(file) ? Files.readString(file).strip() : "";
  }

  /** Gives it back: the next daemon needn't wait. */
  @Override
  public synchronized void close() {
    closed.complete(null);
    try {
      if (read().filter(text -> parse(text).path("id").asText().equals(id)).isPresent()) {
        fileIO.delete(path);
      }
    } catch (IOException e) {
      LOG.debug("The lease {} was not given back", path, e);
    }
  }
}
