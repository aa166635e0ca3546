package io.sluice.lsm.io;

import io.sluice.lsm.error.UnsupportedTableException;
import java.net.URI;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Chooses the storage of a warehouse or table by its URI. */
public final class FileIOs {

  private FileIOs() {}

  /**
   * Storage for a location.
   *
   * @param location {@code file:///lake/warehouse} or a plain path
   * @param ids fresh texts for names of temporary files
   * @throws UnsupportedTableException for a scheme that this version does not serve
   */
  public static FileIO forUri(String location, Supplier<String> ids) {
    pathOf(location);
    return new LocalFileIO(ids);
  }

  /**
   * The absolute path that the FileIO of {@link #forUri} takes, without a slash at its end: {@code
   * file:///lake/} gives {@code /lake}.
   */
  public static String pathOf(String location) {
    String scheme = scheme(location);
    return switch (scheme) {
      case "" -> absolute(location);
      case "file" -> absolute(filePath(location));
      case "s3", "s3a", "s3n", "hdfs", "viewfs", "gs", "abfs", "abfss", "oss", "cosn" ->
          throw new UnsupportedTableException(
              "Cannot open "
                  + location
                  + ": storage over '"
                  + scheme
                  + "' comes with a later version (planned: s3a and hdfs). Use a local folder such"
                  + " as file:///srv/lake.");
      default ->
          throw new UnsupportedTableException(
              "Cannot open "
                  + location
                  + ": no storage is known for '"
                  + scheme
                  + "'. Use a local folder such as file:///srv/lake.");
    };
  }

  private static String scheme(String location) {
    int colon = location.indexOf(':');
    int slash = location.indexOf('/');
    // A colon behind a slash belongs to a name; one letter before it would be a drive.
    return colon > 1 && (slash < 0 || colon < slash)
        ? location.substring(0, colon).toLowerCase(java.util.Locale.ROOT)
        : "";
  }

  private static String filePath(String location) {
    String rest = location.substring("file:".length());
    if (rest.startsWith("//") && !rest.startsWith("///")) {
      throw new UnsupportedTableException(
          "Cannot open "
              + location
              + ": a file URI has three slashes, as in file:///srv/lake; '"
              + URI.create(location).getHost()
              + "' would be a host.");
    }
    // Paths are taken as they stand: table names may hold '%' and blanks that URI parsing mangles.
    return rest.startsWith("///") ? rest.substring(2) : rest;
  }

  private static String absolute(String path) {
    return Path.of(path).toAbsolutePath().normalize().toString();
  }
}
