package io.sluice.replicator.messages.avro;

/** What is made of messages' keys. */
public enum KeyUse {
  /** They are not looked at. */
  NONE,
  /** Records in Avro by a schema of the registry: their fields are the primary key. */
  AVRO
}
