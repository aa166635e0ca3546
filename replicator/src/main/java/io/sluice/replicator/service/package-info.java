/**
 * Tells the service manager (systemd) how the process is: ready, what it does, alive. The protocol
 * is that of sd_notify(3): datagrams of {@code KEY=value} lines to the socket in {@code
 * NOTIFY_SOCKET}.
 */
@NullMarked
package io.sluice.replicator.service;

import org.jspecify.annotations.NullMarked;
