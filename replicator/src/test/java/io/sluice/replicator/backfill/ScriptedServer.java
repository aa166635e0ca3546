package io.sluice.replicator.backfill;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A connection whose answers are given by a function of the statement, and what was asked. */
final class ScriptedServer {

  /** Rows of texts, or an error, for a statement. */
  interface Answer {
    List<List<String>> to(String sql) throws SQLException;
  }

  final List<String> asked = new ArrayList<>();
  private final Answer answer;

  ScriptedServer(Answer answer) {
    this.answer = answer;
  }

  Connection connection() {
    return proxy(
        Connection.class, Map.of("createStatement", args -> statement(), "close", args -> null));
  }

  private Statement statement() {
    Map<String, Function<@Nullable Object[], @Nullable Object>> methods =
        Map.of(
            "execute",
            args -> {
              ask(String.valueOf(args[0]));
              return false;
            },
            "executeQuery",
            args -> rows(ask(String.valueOf(args[0]))),
            "close",
            args -> null);
    return proxy(Statement.class, methods);
  }

  private List<List<String>> ask(String sql) {
    asked.add(sql);
    try {
      return answer.to(sql);
    } catch (SQLException e) {
      throw new Thrown(e);
    }
  }

  private static ResultSet rows(List<List<String>> rows) {
    int[] at = {-1};
    Map<String, Function<@Nullable Object[], @Nullable Object>> methods =
        Map.of(
            "next",
            args -> ++at[0] < rows.size(),
            "getString",
            args -> rows.get(at[0]).get((Integer) args[0] - 1),
            "getInt",
            args -> Integer.parseInt(rows.get(at[0]).get((Integer) args[0] - 1)),
            "wasNull",
            args -> false,
            "close",
            args -> null);
    return proxy(ResultSet.class, methods);
  }

  /** Carries an SQLException out of a function. */
  private static final class Thrown extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Thrown(SQLException cause) {
      super(cause);
    }
  }

  private static <T> T proxy(
      Class<T> type, Map<String, Function<@Nullable Object[], @Nullable Object>> methods) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> call(methods, method, args)));
  }

  private static @Nullable Object call(
      Map<String, Function<@Nullable Object[], @Nullable Object>> methods,
      Method method,
      @Nullable Object @Nullable [] args)
      throws Throwable {
    Function<@Nullable Object[], @Nullable Object> known = methods.get(method.getName());
    if (known == null) {
      throw new UnsupportedOperationException(method.toString());
    }
    try {
      return known.apply(args == null ? new @Nullable Object[0] : args);
    } catch (Thrown e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }
}
