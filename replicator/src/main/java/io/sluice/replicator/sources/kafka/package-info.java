/**
 * Topics of a Kafka cluster as a source: which partitions there are ({@link
 * io.sluice.replicator.sources.kafka.TopicWatch}), from where each is read ({@link
 * io.sluice.replicator.sources.kafka.KafkaPosition}), the loop that reads them ({@link
 * io.sluice.replicator.sources.kafka.KafkaSource}), and what becomes of a message ({@link
 * io.sluice.replicator.sources.kafka.MessageIntake}).
 *
 * <p>Partitions are assigned, never subscribed: the position is that of the newest epoch, and the
 * consumer group that a lag tool sees is told of it afterwards. One thread reads and hands over.
 */
@NullMarked
package io.sluice.replicator.sources.kafka;

import org.jspecify.annotations.NullMarked;
