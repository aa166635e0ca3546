package io.sluice.lsm.datafile;

/** The records of one data file, or of those parts of it that may hold wanted ones. One thread. */
public interface DataFileReader extends KeyValueReader {

  /** Which record of the file the current one is, from 0: what deletion vectors count. */
  long positionInFile();
}
