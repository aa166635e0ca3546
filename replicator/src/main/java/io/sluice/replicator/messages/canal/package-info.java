/**
 * Messages of Canal in JSON ("flat messages"). All values are texts as Canal makes them of MySQL's
 * binlog, with the columns' types beside them: a value becomes what a direct copy of the column
 * gives, or the message is refused.
 */
@NullMarked
package io.sluice.replicator.messages.canal;

import org.jspecify.annotations.NullMarked;
