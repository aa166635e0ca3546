package io.sluice.config;

/** The kinds of sources. */
public enum SourceType {
  MYSQL,
  MARIADB,
  KAFKA
}
