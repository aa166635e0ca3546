/**
 * End-to-end tests: a real server, the daemon in its own process, and Apache Paimon's reader as the
 * judge.
 */
package io.sluice.it;
