/**
 * Real database servers that live as long as a test, a benchmark or the demo: own process, own free
 * port, own data folder, gone without a trace at the end.
 *
 * <p>Invariants: a server process never outlives this JVM, not even one that was killed; nothing
 * outside the temporary folder and the cache folder ({@link
 * io.sluice.replicator.demo.servers.ServerFiles#cache}) is touched; every server listens on the
 * loopback address only. May import nobody of Sluice; the demo, the integration tests and the
 * benchmarks import it.
 */
@NullMarked
package io.sluice.replicator.demo.servers;

import org.jspecify.annotations.NullMarked;
