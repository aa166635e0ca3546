package io.sluice.replicator.daemon;

/**
 * One process, so that another process can tell later whether it is still there. Empty texts and -1
 * stand for what isn't known.
 *
 * @param host for a person
 * @param boot the boot id: process ids mean nothing beyond a boot
 * @param pidNamespace nor do they in another container of the same machine
 * @param uid who runs it: the processes of others may be hidden
 * @param startTicks clock ticks from the boot to its start. Not a time of day: computed times
 *     differ from one observer to the next, and move when the clock is set
 */
record ProcessIdentity(
    String host, String boot, String pidNamespace, long uid, long pid, long startTicks) {}
