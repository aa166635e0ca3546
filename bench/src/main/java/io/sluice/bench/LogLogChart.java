package io.sluice.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Charts of lines with logarithmic axes, side by side in one SVG text, readable on light and on
 * dark ground: the colours follow the reader's.
 */
final class LogLogChart {

  /** One value. */
  record Point(double x, double y) {}

  /**
   * One chart.
   *
   * @param x what grows
   * @param unit of the y axis
   * @param series points by the name of their line, ascending by x; points without a value are left
   *     out
   */
  record Panel(String x, String unit, Map<String, List<Point>> series) {}

  private static final int COLUMNS = 2;
  private static final int WIDTH = 380;
  private static final int HEIGHT = 260;
  private static final int LEFT = 56;
  private static final int RIGHT = 16;
  private static final int TOP = 34;
  private static final int BOTTOM = 44;
  private static final int TITLE = 34;
  private static final int LEGEND_LINE = 20;

  /** Strokes beside the colours, so that lines can be told without them. */
  private static final String[] DASHES = {"", "6 3", "2 3", "8 3 2 3", "12 4", "4 2 1 2"};

  private LogLogChart() {}

  /** An SVG document. */
  static String svg(String title, List<Panel> panels) {
    List<String> names =
        panels.stream().flatMap(p -> p.series().keySet().stream()).distinct().toList();
    int rows = (panels.size() + COLUMNS - 1) / COLUMNS;
    int legend = (names.size() + 1) / 2 * LEGEND_LINE + 12;
    int width = Math.min(COLUMNS, panels.size()) * WIDTH;
    int height = TITLE + rows * HEIGHT + legend;
    StringBuilder out = new StringBuilder();
    out.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                + " viewBox=\"0 0 %d %d\" role=\"img\">%n<title>%s</title>%n<style>%n%s</style>%n",
            width,
            height,
            width,
            height,
            escape(title),
            style(names.size())));
    out.append("<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n");
    text(out, width / 2.0, 22, "middle", "title", title);
    for (int i = 0; i < panels.size(); i++) {
      out.append(
          String.format(
              Locale.ROOT,
              "<g transform=\"translate(%d,%d)\">%n",
              i % COLUMNS * WIDTH,
              TITLE + i / COLUMNS * HEIGHT));
      panel(out, panels.get(i), names);
      out.append("</g>\n");
    }
    legend(out, names, width, TITLE + rows * HEIGHT + 8);
    return out.append("</svg>\n").toString();
  }

  private static String style(int lines) {
    String[] light = {"#1f5fbf", "#b3420e", "#2a7d3f", "#7a3fa0", "#8a6d00", "#0d7d86"};
    String[] dark = {"#7fb2ff", "#ff9a66", "#7fd699", "#cf9bf2", "#e6c860", "#6fd6df"};
    StringBuilder out = new StringBuilder();
    out.append("text{font:12px sans-serif;fill:#222}.title{font-weight:bold;font-size:14px}\n");
    out.append(".ground{fill:#fff}.grid{stroke:#ddd}.axis{stroke:#555}\n");
    out.append(".line{fill:none;stroke-width:2}\n");
    for (int i = 0; i < lines; i++) {
      out.append(colour(i, light[i % light.length]));
    }
    out.append("@media(prefers-color-scheme:dark){\n");
    out.append("text{fill:#ddd}.ground{fill:#151a21}.grid{stroke:#333b46}.axis{stroke:#aaa}\n");
    for (int i = 0; i < lines; i++) {
      out.append(colour(i, dark[i % dark.length]));
    }
    return out.append("}\n").toString();
  }

  private static String colour(int line, String colour) {
    return ".s" + line + "{stroke:" + colour + "}.d" + line + "{fill:" + colour + "}\n";
  }

  private static void panel(StringBuilder out, Panel panel, List<String> names) {
    List<Point> all = new ArrayList<>();
    panel.series().values().forEach(all::addAll);
    all.removeIf(point -> !(point.y() > 0));
    if (all.isEmpty()) {
      return;
    }
    Axis x = Axis.of(all.stream().mapToDouble(Point::x).toArray(), LEFT, WIDTH - RIGHT);
    Axis y = Axis.of(all.stream().mapToDouble(Point::y).toArray(), HEIGHT - BOTTOM, TOP);
    for (int power = x.from(); power <= x.to(); power++) {
      double at = x.at(Math.pow(10, power));
      line(out, "grid", at, TOP, at, HEIGHT - BOTTOM);
      text(out, at, HEIGHT - BOTTOM + 16, "middle", "", number(power));
    }
    for (int power = y.from(); power <= y.to(); power++) {
      double at = y.at(Math.pow(10, power));
      line(out, "grid", LEFT, at, WIDTH - RIGHT, at);
      text(out, LEFT - 6, at + 4, "end", "", number(power));
    }
    line(out, "axis", LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM);
    line(out, "axis", LEFT, TOP, LEFT, HEIGHT - BOTTOM);
    text(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10, "middle", "", panel.x());
    text(out, LEFT - 44, TOP - 10, "start", "", panel.unit());
    for (int i = 0; i < names.size(); i++) {
      series(out, panel.series().getOrDefault(names.get(i), List.of()), i, x, y);
    }
  }

  private static void series(StringBuilder out, List<Point> points, int number, Axis x, Axis y) {
    StringBuilder path = new StringBuilder();
    for (Point point : points) {
      if (point.y() > 0) {
        path.append(path.length() == 0 ? 'M' : 'L')
            .append(String.format(Locale.ROOT, "%.1f %.1f", x.at(point.x()), y.at(point.y())));
        out.append(
            String.format(
                Locale.ROOT,
                "<circle class=\"d%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>%n",
                number,
                x.at(point.x()),
                y.at(point.y())));
      }
    }
    out.append(
        String.format(
            Locale.ROOT,
            "<path class=\"line s%d\" stroke-dasharray=\"%s\" d=\"%s\"/>%n",
            number,
            DASHES[number % DASHES.length],
            path));
  }

  private static void legend(StringBuilder out, List<String> names, int width, int top) {
    for (int i = 0; i < names.size(); i++) {
      double left = LEFT + i % 2 * (width / 2.0);
      double at = top + i / 2 * LEGEND_LINE + 8;
      out.append(
          String.format(
              Locale.ROOT,
              "<path class=\"line s%d\" stroke-dasharray=\"%s\" d=\"M%.1f %.1fh36\"/>%n",
              i,
              DASHES[i % DASHES.length],
              left,
              at));
      text(out, left + 44, at + 4, "start", "", names.get(i));
    }
  }

  private static void line(
      StringBuilder out, String kind, double x1, double y1, double x2, double y2) {
    out.append(
        String.format(
            Locale.ROOT,
            "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n",
            kind,
            x1,
            y1,
            x2,
            y2));
  }

  private static void text(
      StringBuilder out, double x, double y, String anchor, String kind, String text) {
    out.append(
        String.format(
            Locale.ROOT,
            "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
            kind,
            x,
            y,
            anchor,
            escape(text)));
  }

  private static String number(int power) {
    return power < 0
        ? String.format(Locale.ROOT, "%." + -power + "f", Math.pow(10, power))
        : String.format(Locale.ROOT, "%,.0f", Math.pow(10, power));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }

  /**
   * A logarithmic axis.
   *
   * @param from power of ten at its beginning
   * @param to power of ten at its end
   */
  private record Axis(int from, int to, double begin, double end) {
    static Axis of(double[] values, double begin, double end) {
      double min = Double.MAX_VALUE;
      double max = 0;
      for (double value : values) {
        min = Math.min(min, value);
        max = Math.max(max, value);
      }
      int from = (int) Math.floor(Math.log10(min));
      int to = (int) Math.ceil(Math.log10(max));
      return new Axis(from, Math.max(to, from + 1), begin, end);
    }

    double at(double value) {
      return begin + (Math.log10(value) - from) / (to - from) * (end - begin);
    }
  }
}
