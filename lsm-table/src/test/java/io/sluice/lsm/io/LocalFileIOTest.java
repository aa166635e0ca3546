package io.sluice.lsm.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.testing.TestIds;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalFileIOTest {

  @TempDir Path folder;

  private final FileIO storage = new LocalFileIO(new TestIds());

  @Test
  void createsFilesWithTheirFolders() throws IOException {
    String path = path("a b/订单/%2F/file");

    try (OutputStream out = storage.create(path)) {
      out.write(bytes("hello"));
    }

    assertThat(storage.readAll(path)).isEqualTo(bytes("hello"));
    assertThat(storage.exists(path)).isTrue();
    try (FileIO.RandomReader reader = storage.open(path)) {
      byte[] into = new byte[4];
      reader.readFully(1, into, 1, 3);
      assertThat(into).isEqualTo(new byte[] {0, 'e', 'l', 'l'});
      assertThat(reader.length()).isEqualTo(5);
      assertThatThrownBy(() -> reader.readFully(3, into, 0, 3))
          .isInstanceOf(EOFException.class)
          .hasMessageContaining("has 5 bytes; 3 from 3 on");
    }
  }

  @Test
  void syncsManyFilesInSeveralFolders() throws IOException {
    Map<String, String> files = Map.of("m/a", "1", "n/deep/b", "22", "m/c", "");
    for (Map.Entry<String, String> file : files.entrySet()) {
      write(file.getKey(), file.getValue());
    }

    // One of them twice, and one that isn't there: a description without a file.
    storage.sync(List.of(path("m/a"), path("n/deep/b"), path("m/c"), path("m/a"), path("o/p/q")));

    for (Map.Entry<String, String> file : files.entrySet()) {
      assertThat(storage.readAll(path(file.getKey()))).isEqualTo(bytes(file.getValue()));
    }
    // Again, once they are durable; and by somebody who has not written them.
    storage.sync(List.of(path("m/a"), path("m/c")));
    new LocalFileIO(new TestIds()).sync(List.of(path("m/a")));
    assertThatThrownBy(() -> write("n/deep/b", "3")).isInstanceOf(FileSystemException.class);
    assertThat(storage.readAll(path("n/deep/b"))).isEqualTo(bytes("22"));
  }

  /** A file that was not synced in time cannot be asked for again: its bytes may be gone. */
  @Test
  void whatCouldNotBeSyncedStaysUndurable() throws IOException {
    UnsyncedFiles unsynced = new UnsyncedFiles();
    Path bad = folder.resolve("bad");
    Path good = folder.resolve("good");
    FileOutputStream broken = new FileOutputStream(bad.toFile());
    broken.close(); // so that its sync fails
    unsynced.add(bad, broken);
    unsynced.add(good, new FileOutputStream(good.toFile()));

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> unsynced.sync(List.of(good, bad), List.of(folder)))
          .isInstanceOf(NotDurableException.class)
          .hasMessageContaining("Cannot make " + bad + " durable");
    }
    unsynced.sync(List.of(good), List.of(folder));
    unsynced.forget(bad);
    unsynced.sync(List.of(bad), List.of());
  }

  @Test
  void keepsFewFilesOpenHoweverManyWait() throws IOException {
    int files = 600;
    for (int i = 0; i < files; i++) {
      write("many/" + i, "" + i);
    }
    Path descriptors = Path.of("/proc/self/fd");
    if (Files.isDirectory(descriptors)) {
      try (var open = Files.list(descriptors)) {
        assertThat(open.filter(fd -> target(fd).startsWith(path("many"))).count())
            .isBetween(200L, 256L);
      }
    }
    List<String> paths = new ArrayList<>();
    for (int i = 0; i < files; i++) {
      paths.add(path("many/" + i));
      if (i % 3 == 0) {
        storage.deleteQuietly(path("many/" + i));
      }
    }
    storage.sync(paths);
    if (Files.isDirectory(descriptors)) {
      try (var open = Files.list(descriptors)) {
        assertThat(open.filter(fd -> target(fd).startsWith(path("many")))).isEmpty();
      }
    }
    assertThat(storage.list(path("many"))).hasSize(400);
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }

  @Test
  void createsExclusivelyWhatLeadsToOthers() throws IOException {
    write("m/a", "1");

    assertThat(storage.createExclusively(path("s/1"), bytes("one"), List.of(path("m/a")))).isTrue();
    assertThat(storage.createExclusively(path("s/1"), bytes("two"), List.of(path("m/a"))))
        .isFalse();

    assertThat(storage.readAll(path("s/1"))).isEqualTo(bytes("one"));
    assertThat(storage.list(path("s"))).as("no temporary file is left").hasSize(1);
  }

  private void write(String name, String content) throws IOException {
    try (OutputStream out = storage.createUnsynced(path(name))) {
      out.write(bytes(content));
    }
  }

  @Test
  void neverCreatesOverAFile() throws IOException {
    storage.replace(path("x"), bytes("1"));

    assertThatThrownBy(() -> storage.create(path("x"))).isInstanceOf(FileSystemException.class);
    assertThat(storage.createExclusively(path("x"), bytes("2"))).isFalse();
    assertThat(storage.readAll(path("x"))).isEqualTo(bytes("1"));
  }

  @Test
  void replacesWholeFiles() throws IOException {
    storage.replace(path("deep/hint"), bytes("1"));
    storage.replace(path("deep/hint"), bytes("22"));

    assertThat(storage.readAll(path("deep/hint"))).isEqualTo(bytes("22"));
    storage.replaceHint(path("deep/hint"), bytes("333"));

    assertThat(storage.readAll(path("deep/hint"))).isEqualTo(bytes("333"));
    assertThat(storage.list(path("deep"))).hasSize(1);
  }

  @Test
  void tellsMissingFilesApart() throws IOException {
    assertThatThrownBy(() -> storage.readAll(path("no")))
        .isInstanceOf(FileNotFoundException.class)
        .hasMessageContaining(path("no"));
    assertThatThrownBy(() -> storage.open(path("no"))).isInstanceOf(FileNotFoundException.class);
    assertThat(storage.exists(path("no"))).isFalse();
    assertThat(storage.delete(path("no"))).isFalse();
    assertThat(storage.list(path("no"))).isEmpty();
    storage.deleteQuietly(path("no"));
  }

  @Test
  void aNameThatNoFileCanHaveIsNotThere() throws IOException {
    assertThat(storage.exists(path("manifest-\0-0"))).isFalse();
  }

  @Test
  void listsFilesAndFolders() throws IOException {
    storage.replace(path("t/file"), bytes("123"));
    storage.makeFolder(path("t/sub/sub"));

    assertThat(storage.list(path("t")))
        .extracting(FileIO.FileStatus::name, FileIO.FileStatus::folder, FileIO.FileStatus::length)
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple("file", false, 3L),
            org.assertj.core.groups.Tuple.tuple("sub", true, 0L));
  }

  @Test
  void oneOfSixteenCreatesExclusively() throws Exception {
    int threads = 16;
    int rounds = 40;
    var pool = Executors.newFixedThreadPool(threads);
    CyclicBarrier start = new CyclicBarrier(threads);
    List<Future<List<Boolean>>> results = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      String me = "content of " + t + " ".repeat(2000);
      results.add(
          pool.submit(
              () -> {
                List<Boolean> won = new ArrayList<>();
                for (int round = 0; round < rounds; round++) {
                  start.await();
                  String target = path("race/snapshot-" + round);
                  boolean mine = storage.createExclusively(target, bytes(me));
                  won.add(mine);
                  // Whoever is answered sees a whole file, and a winner his own.
                  String there = new String(storage.readAll(target), StandardCharsets.UTF_8);
                  assertThat(there).hasSize(there.indexOf(' ', 12) + 2000);
                  assertThat(there.equals(me)).isEqualTo(mine);
                }
                return won;
              }));
    }
    int[] winners = new int[rounds];
    for (Future<List<Boolean>> result : results) {
      for (int round = 0; round < rounds; round++) {
        winners[round] += result.get().get(round) ? 1 : 0;
      }
    }
    pool.shutdown();
    assertThat(winners).containsOnly(1);
    assertThat(storage.list(path("race"))).as("no temporary file is left").hasSize(rounds);
  }

  @Test
  void saysWhatToDoWhenTheDiskRefuses() {
    assertThat(LocalErrors.explain("create", "/lake/x", new AccessDeniedException("/lake/x")))
        .isInstanceOf(AccessDeniedException.class)
        .hasMessageContaining("/lake/x")
        .hasMessageContaining("permission denied. Give user");
    assertThat(LocalErrors.explain("write", "/lake/x", new IOException("No space left on device")))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("/lake/x: Cannot write it: the disk is full. Free space");
    assertThat(LocalErrors.explain("write", "/x", new IOException("Read-only file system")))
        .hasMessageContaining("Remount it read-write");
    assertThat(LocalErrors.explain("write", "/x", new FileAlreadyExistsException("/x")))
        .hasMessageContaining("FileAlreadyExistsException");
  }

  @Test
  void takesLocalLocationsOnly() {
    assertThat(FileIOs.pathOf("file:///srv/a%20b/")).isEqualTo("/srv/a%20b");
    assertThat(FileIOs.pathOf("file:/srv/x")).isEqualTo("/srv/x");
    assertThat(FileIOs.pathOf("/srv/a:b//c/../d")).isEqualTo("/srv/a:b/d");
    assertThat(FileIOs.pathOf("lake")).isEqualTo(Path.of("lake").toAbsolutePath().toString());
    for (String location : List.of("s3a://lake/w", "hdfs://nn/w")) {
      assertThatThrownBy(() -> FileIOs.forUri(location, new TestIds()))
          .isInstanceOf(UnsupportedTableException.class)
          .hasMessageContaining(location)
          .hasMessageContaining("later version");
    }
    assertThatThrownBy(() -> FileIOs.pathOf("ftp://x/y"))
        .hasMessageContaining("no storage is known for 'ftp'");
    assertThatThrownBy(() -> FileIOs.pathOf("file://host/y")).hasMessageContaining("three slashes");
  }

  private String path(String name) {
    return folder + "/" + name;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
