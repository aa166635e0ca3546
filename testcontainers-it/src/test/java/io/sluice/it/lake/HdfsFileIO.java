package io.sluice.it.lake;

import io.sluice.lsm.io.FileIO;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * As much of HDFS as the race needs: a name is taken exclusively by a rename that does not
 * overwrite. What is written is not synced to disks.
 */
final class HdfsFileIO implements FileIO {

  private final DistributedFileSystem hdfs;
  private final Supplier<String> ids;

  HdfsFileIO(FileSystem hdfs, Supplier<String> ids) {
    this.hdfs = (DistributedFileSystem) hdfs;
    this.ids = ids;
  }

  @Override
  public RandomReader open(String path) throws IOException {
    FSDataInputStream in = hdfs.open(new Path(path));
    long length = hdfs.getFileStatus(new Path(path)).getLen();
    return new RandomReader() {
      @Override
      public long length() {
        return length;
      }

      @Override
      public void readFully(long position, byte[] into, int offset, int count) throws IOException {
        in.readFully(position, into, offset, count);
      }

      @Override
      public void close() throws IOException {
        in.close();
      }
    };
  }

  @Override
  public byte[] readAll(String path) throws IOException {
    try (FSDataInputStream in = hdfs.open(new Path(path))) {
      return in.readAllBytes();
    }
  }

  @Override
  public OutputStream create(String path) throws IOException {
    return hdfs.create(new Path(path), false);
  }

  private Path write(Path beside, byte[] content) throws IOException {
    Path temporary = new Path(beside.getParent(), "." + beside.getName() + "." + ids.get());
    try (OutputStream out = hdfs.create(temporary, false)) {
      out.write(content);
    }
    return temporary;
  }

  @Override
  public boolean createExclusively(String path, byte[] content) throws IOException {
    Path file = new Path(path);
    if (hdfs.exists(file)) {
      return false;
    }
    Path temporary = write(file, content);
    if (hdfs.rename(temporary, file)) {
      return true;
    }
    hdfs.delete(temporary, false);
    if (!hdfs.exists(file)) {
      throw new IOException("HDFS has not renamed " + temporary + " to " + file);
    }
    return false;
  }

  @Override
  public void replace(String path, byte[] content) throws IOException {
    Path file = new Path(path);
    hdfs.rename(write(file, content), file, Options.Rename.OVERWRITE);
  }

  @Override
  public boolean delete(String path) throws IOException {
    return hdfs.delete(new Path(path), false);
  }

  @Override
  public boolean exists(String path) throws IOException {
    return hdfs.exists(new Path(path));
  }

  @Override
  public List<FileStatus> list(String folder) throws IOException {
    List<FileStatus> result = new ArrayList<>();
    try {
      for (org.apache.hadoop.fs.FileStatus file : hdfs.listStatus(new Path(folder))) {
        result.add(
            new FileStatus(
                folder + "/" + file.getPath().getName(),
                file.isDirectory(),
                file.getLen(),
                file.getModificationTime()));
      }
    } catch (java.io.FileNotFoundException e) {
      return List.of();
    }
    return result;
  }

  @Override
  public void makeFolder(String folder) throws IOException {
    hdfs.mkdirs(new Path(folder));
  }

  @Override
  public void deleteQuietly(String path) {
    try {
      delete(path);
    } catch (IOException e) {
      // An orphan is left.
      return;
    }
  }
}
