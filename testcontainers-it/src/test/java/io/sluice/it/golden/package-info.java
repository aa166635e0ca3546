/**
 * Records the messages that the formats' tests read ({@code
 * replicator/src/test/resources/golden-messages}) from real servers by real producers.
 */
package io.sluice.it.golden;
