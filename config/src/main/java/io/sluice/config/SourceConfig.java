package io.sluice.config;

/** What is replicated, by the kind of source. */
public sealed interface SourceConfig permits DatabaseSourceConfig, KafkaSourceConfig {

  SourceType type();
}
