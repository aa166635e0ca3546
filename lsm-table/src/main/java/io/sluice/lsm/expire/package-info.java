/**
 * Old snapshots and the files that nobody can see any more; consumer files, which hold snapshots
 * back.
 *
 * <p>Invariants: a snapshot file that is there can be read wholly, also after a kill at any
 * instant; what cannot be read is left alone; running twice, or beside a committer, does no harm.
 *
 * <p>May import {@code error} to {@code commit}.
 */
@NullMarked
package io.sluice.lsm.expire;

import org.jspecify.annotations.NullMarked;
