package io.sluice.bench;

/** Arguments of a benchmark by position, each with a default. */
record Arguments(String[] values) {

  int number(int index, int byDefault) {
    return values.length > index ? Integer.parseInt(values[index]) : byDefault;
  }

  String text(int index, String byDefault) {
    return values.length > index ? values[index] : byDefault;
  }
}
