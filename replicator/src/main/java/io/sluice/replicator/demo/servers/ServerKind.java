package io.sluice.replicator.demo.servers;

/** The two families of servers that Sluice replicates from. */
public enum ServerKind {
  MYSQL("mysql", "jdbc:mysql://", "sslMode=DISABLED&allowPublicKeyRetrieval=true"),
  MARIADB("mariadb", "jdbc:mariadb://", "sslMode=disable");

  private final String sourceType;
  private final String urlPrefix;
  private final String urlOptions;

  ServerKind(String sourceType, String urlPrefix, String urlOptions) {
    this.sourceType = sourceType;
    this.urlPrefix = urlPrefix;
    this.urlOptions = urlOptions;
  }

  /** The word for it in a pipeline's config, {@code source.type}. */
  public String sourceType() {
    return sourceType;
  }

  /** A JDBC address without TLS; {@code database} may be empty. */
  public String jdbcUrl(String host, int port, String database) {
    return urlPrefix + host + ":" + port + "/" + database + "?" + urlOptions;
  }
}
