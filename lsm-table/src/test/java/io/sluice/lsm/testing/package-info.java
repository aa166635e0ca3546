/**
 * Fakes and builders for tests of this module and of those above it (published as the test-jar):
 * storage in memory, storage with faults, a clock that is set by hand, ids in order.
 */
package io.sluice.lsm.testing;
