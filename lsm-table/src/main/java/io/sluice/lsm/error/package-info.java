/**
 * What can go wrong with a table, named by what the caller does next. Imports nothing of this
 * module.
 */
@NullMarked
package io.sluice.lsm.error;

import org.jspecify.annotations.NullMarked;
