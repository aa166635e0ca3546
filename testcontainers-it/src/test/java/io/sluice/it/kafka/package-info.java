/** Topics of a real Kafka broker into tables that Paimon's own reader reads. */
package io.sluice.it.kafka;
