/** Storage that other engines write, too. */
package io.sluice.it.lake;
