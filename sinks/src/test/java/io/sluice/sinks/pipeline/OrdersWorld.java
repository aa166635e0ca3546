package io.sluice.sinks.pipeline;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.TestIds;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.epoch.EpochFile;
import io.sluice.sinks.epoch.EpochStore;
import io.sluice.sinks.epoch.LakeTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * One run: programs (daemons of one pipeline, writers that know nothing of it) on one storage. One
 * program has the turn; before each of its operations on shared files the schedule says whether it
 * goes on, another takes over, the operation goes wrong, or something given up earlier lands.
 */
final class OrdersWorld {

  static final String WAREHOUSE = "/lake";
  static final String PIPELINE = "p";

  /** The rules that can be taken away, to see that they are needed. */
  enum Rule {
    /** After creating an epoch file, list the folder: a higher number is another owner. */
    R1_LIST_AFTER_CREATION,
    /** "It exists" and "no answer" mean: read it back. Without: taken for our own. */
    R2_READ_BACK_NOT_TRUST,
    /** Without: taken for another's. */
    R2_READ_BACK_NOT_DOUBT,
    /** Look for our snapshot before each attempt. */
    R3_LOOK_FOR_OURS,
    /** Consumer files. */
    R4_PIN,
    /** A snapshot in a hole doesn't count. */
    R5_HOLE,
    /** Compaction never carries the epoch. */
    R6_OWN_COMPACTION_USER,
    /** What a fenced daemon has written stays. */
    R7_KEEP_FILES
  }

  /** What may happen. */
  enum May {
    /** A daemon dies before an operation. */
    CRASH,
    /** An operation is done, the answer is an error. */
    LOSE_ANSWER,
    /** An operation is not done, the answer is an error. */
    FAIL,
    /** An error, and the operation is done some time later; its daemon may have died meanwhile. */
    LAND_LATE,
    /** A second daemon starts while the first has the turn. */
    SECOND_DAEMON
  }

  /**
   * @param begin all programs begin on this
   * @param at where the source stands in {@code begin}
   * @param foreign programs of others; none of them must run
   * @param daemonsMax how many daemons may be started beside others
   */
  record Scenario(
      String name,
      OrdersScript script,
      OrdersShelf begin,
      int at,
      Set<May> may,
      List<OrdersForeign> foreign,
      int daemonsMax,
      Set<Rule> without) {

    Scenario without(Set<Rule> rules) {
      return new Scenario(
          name + " without " + new TreeSet<>(rules),
          script,
          begin,
          at,
          may,
          foreign,
          daemonsMax,
          rules);
    }
  }

  /** The process is dead. */
  static final class Dead extends Error {
    private static final long serialVersionUID = 1L;

    Dead() {
      super("dead", null, false, false);
    }
  }

  /** The run is over. */
  static final class Over extends Error {
    private static final long serialVersionUID = 1L;

    Over() {
      super("over", null, false, false);
    }
  }

  enum Life {
    NEW,
    WAITING,
    RUNNING,
    ENDED
  }

  /** What a program does. */
  interface Program {
    void run(Actor self) throws IOException;
  }

  /** A program with its own way to storage. */
  static final class Actor {
    final String name;
    final boolean daemon;
    final Program program;
    final Semaphore turn = new Semaphore(0);
    Life life = Life.NEW;
    boolean dead;

    /** Of all that it has learnt from shared files: what it does next depends on nothing else. */
    long memory;

    /** The last epoch that it has created; 0: none yet. */
    long lastEpoch;

    /** What a daemon does beside, when an epoch file is there and its snapshots are not yet. */
    Runnable afterEpochFile = () -> {};

    Actor(String name, boolean daemon, Program program) {
      this.name = name;
      this.daemon = daemon;
      this.program = program;
    }
  }

  /** A request that was given up, and may still be done. */
  record Late(String what, String path, Runnable act) {}

  final Scenario scenario;
  final OrdersShelf shelf;
  final FakeClock clock = new FakeClock();
  final List<Late> late = new ArrayList<>();

  private final OrdersSchedule schedule;
  private final ExecutorService threads;
  private final List<Actor> actors = new ArrayList<>();
  private final Semaphore main = new Semaphore(0);
  private final Set<Long> lastStates;
  private final Map<String, LsmTable> looks = new HashMap<>();
  private final Map<String, List<String>> liveFiles = new HashMap<>();
  private final @Nullable List<String> trace;
  private final Map<String, String> foreignTokens = new TreeMap<>();
  private @Nullable Throwable violation;
  private boolean over;
  private boolean pruned;

  /** No more choices: what is left over is looked at. */
  private boolean calm;

  private int daemons;
  private int published;

  /**
   * @param lastStates of earlier runs of the scenario that ended well
   * @param trace takes what happens
   */
  OrdersWorld(
      Scenario scenario,
      OrdersSchedule schedule,
      ExecutorService threads,
      Set<Long> lastStates,
      @Nullable List<String> trace) {
    this.scenario = scenario;
    this.schedule = schedule;
    this.threads = threads;
    this.lastStates = lastStates;
    this.trace = trace;
    this.shelf = scenario.begin().copy();
    this.published = scenario.at();
  }

  /** Whether the run was cut short since its rest is known. */
  boolean pruned() {
    return pruned;
  }

  /** Runs to the end. Throws AssertionError if a promise is broken. */
  void run() {
    Actor first = newDaemon();
    for (OrdersForeign foreign : scenario.foreign()) {
      actors.add(new Actor(foreign.name(), false, self -> foreign.run(this, self)));
    }
    await(first);
    if (!over) {
      // Nobody is left but requests on their way: neither without them nor with them ...
      calm = true;
      if (lastStates.add(lastState())) {
        daemonsEnd();
        if (!late.isEmpty()) {
          late.forEach(request -> land(request));
          late.clear();
          daemonsEnd();
        }
      }
    }
    if (violation != null) {
      throw new AssertionError(scenario.name() + ": " + violation.getMessage(), violation);
    }
  }

  /** All that the end depends on. */
  private long lastState() {
    long result = shelf.hash() + OrdersShelf.mix(published) + OrdersShelf.hash(foreignTokens + "");
    for (Late request : late) {
      result += OrdersShelf.hash(request.what());
    }
    return result;
  }

  /** A last daemon starts, delivers what is left, and all is well. */
  private void daemonsEnd() {
    if (violation == null) {
      await(newDaemon());
    }
    if (violation == null) {
      try {
        requireTables(scenario.script().end(), "at the end");
      } catch (IOException | RuntimeException | AssertionError e) {
        violation = e;
      }
    }
  }

  private void await(Actor first) {
    resume(first);
    main.acquireUninterruptibly();
    if (over) {
      for (Actor actor : actors) {
        if (actor.life == Life.WAITING) {
          actor.turn.release();
          main.acquireUninterruptibly();
        }
      }
    }
  }

  private Actor newDaemon() {
    int number = ++daemons;
    Actor actor =
        // Names of files come of it: not those of the daemon that made the beginning.
        new Actor(
            (scenario.at() == 0 ? "c" : "d") + number,
            true,
            self -> new OrdersDaemon(this, self).deliver());
    actors.add(actor);
    return actor;
  }

  private void resume(Actor actor) {
    if (actor.life == Life.NEW) {
      actor.life = Life.RUNNING;
      threads.execute(() -> live(actor));
    } else {
      actor.life = Life.RUNNING;
      actor.turn.release();
    }
  }

  private void live(Actor actor) {
    try {
      actor.program.run(actor);
      say(actor, "ends");
    } catch (Dead e) {
      say(actor, "is dead");
    } catch (Over e) {
      // The run is over.
    } catch (OrdersSchedule.Pruned e) {
      say(actor, "does what is known");
    } catch (PipelineStoppedException e) {
      say(actor, "stops: " + e.getMessage());
      if (!mayStop(actor, e)) {
        violated(new AssertionError(actor.name + " is stopped although nothing is lost", e));
      }
    } catch (Throwable e) {
      if (!over) {
        violated(e);
      }
    }
    actor.life = Life.ENDED;
    next(actor);
  }

  private void violated(Throwable what) {
    violation = what;
    over = true;
  }

  /** Only who has been taken over from may be stopped. */
  private boolean mayStop(Actor actor, PipelineStoppedException why) {
    return why.reason() == PipelineStoppedException.Reason.PROTECTED
        && actor.lastEpoch > 0
        && actors.stream().anyMatch(other -> other.lastEpoch > actor.lastEpoch);
  }

  /** Who goes on when a program has ended. */
  private void next(Actor ended) {
    if (over) {
      main.release();
      return;
    }
    List<Actor> waiting = actors.stream().filter(a -> a.life == Life.WAITING).toList();
    boolean daemonLeft = waiting.stream().anyMatch(a -> a.daemon);
    if (!calm && ended.daemon && ended.dead && !daemonLeft) {
      resume(newDaemon());
    } else if (!waiting.isEmpty()) {
      resume(waiting.get(0));
    } else {
      main.release();
    }
  }

  // ---- the schedule's moment

  private enum What {
    GO_ON,
    CRASH,
    LOSE_ANSWER,
    FAIL,
    LAND_LATE,
    DIE_AND_LAND_LATE,
    LAND,
    SWITCH,
    START_DAEMON
  }

  private record Option(What what, int cost, @Nullable Object object) {}

  interface Operation<T> {
    T run() throws IOException;
  }

  /**
   * One operation of a program on storage.
   *
   * @param lateAct what a late request does; null for a read
   */
  <T> T operate(
      Actor actor, String verb, String path, @Nullable Runnable lateAct, Operation<T> operation)
      throws IOException {
    if (over) {
      throw new Over();
    }
    if (actor.dead) {
      throw new Dead();
    }
    if (!OrdersShelf.isShared(path)) {
      return operation.run();
    }
    String what = verb + " " + path.substring(path.lastIndexOf('/') + 1);
    while (!calm && isMoment(path, lateAct != null)) {
      List<Option> options = options(actor, verb, path, lateAct != null);
      int[] costs = new int[options.size()];
      for (int i = 0; i < costs.length; i++) {
        costs[i] = options.get(i).cost();
      }
      Option chosen = options.get(choose(costs, state(actor, what)));
      if (chosen.what() == What.GO_ON) {
        break;
      }
      say(actor, what + ": " + chosen.what() + (chosen.object() instanceof Actor a ? a.name : ""));
      switch (chosen.what()) {
        case CRASH -> {
          actor.dead = true;
          throw new Dead();
        }
        case DIE_AND_LAND_LATE -> {
          late.add(new Late(actor.name + "'s " + what, path, lateAct));
          actor.dead = true;
          throw new Dead();
        }
        case LOSE_ANSWER -> {
          operation.run();
          learn(actor, what, -1);
          throw new IOException("No answer to " + what);
        }
        case FAIL -> {
          learn(actor, what, -1);
          throw new IOException("Failed: " + what);
        }
        case LAND_LATE -> {
          late.add(new Late(actor.name + "'s " + what, path, lateAct));
          learn(actor, what, -1);
          throw new IOException("No answer yet to " + what);
        }
        case LAND -> {
          Late request = (Late) chosen.object();
          late.remove(request);
          land(request);
        }
        case SWITCH -> give(actor, (Actor) chosen.object());
        case START_DAEMON -> give(actor, newDaemon());
        case GO_ON -> throw new AssertionError();
      }
    }
    return learnt(actor, what, operation);
  }

  /** The program may catch what it throws, and go on elsewhere: nothing more may happen then. */
  private int choose(int[] costs, long state) {
    try {
      return schedule.choose(costs, state);
    } catch (OrdersSchedule.Pruned e) {
      pruned = true;
      over = true;
      throw e;
    }
  }

  private void give(Actor from, Actor to) {
    from.life = Life.WAITING;
    resume(to);
    from.turn.acquireUninterruptibly();
    if (over) {
      throw new Over();
    }
  }

  private void land(Late request) {
    if (trace != null) {
      trace.add("   lands: " + request.what());
    }
    request.act().run();
  }

  /**
   * Whether anything may happen before an operation. What is learnt from consumer and schema files
   * is as well learnt a little earlier: before the operation that goes by it.
   */
  private static boolean isMoment(String path, boolean changes) {
    return changes || path.contains("/_sluice/") || path.contains("/snapshot");
  }

  private List<Option> options(Actor actor, String verb, String path, boolean changes) {
    boolean creates = verb.equals("create");
    List<Option> options = new ArrayList<>();
    options.add(new Option(What.GO_ON, 0, null));
    for (Late request : late) {
      // Before any other operation it would be the same as before the next that can see it.
      if (request.path().equals(path) || request.path().startsWith(path) && path.endsWith("/")) {
        options.add(new Option(What.LAND, 0, request));
      }
    }
    Set<May> may = scenario.may();
    if (actor.daemon && changes) {
      add(options, may.contains(May.CRASH), What.CRASH);
      add(options, may.contains(May.LOSE_ANSWER), What.LOSE_ANSWER);
      add(options, may.contains(May.FAIL), What.FAIL);
      add(options, creates && may.contains(May.LAND_LATE), What.LAND_LATE);
      add(
          options,
          creates && may.contains(May.LAND_LATE) && may.contains(May.CRASH),
          What.DIE_AND_LAND_LATE);
    }
    for (Actor other : actors) {
      if (other.life == Life.WAITING || other.life == Life.NEW && !other.daemon) {
        options.add(new Option(What.SWITCH, 1, other));
      }
    }
    add(
        options,
        may.contains(May.SECOND_DAEMON) && daemons < scenario.daemonsMax(),
        What.START_DAEMON);
    return options;
  }

  private static void add(List<Option> options, boolean possible, What what) {
    if (possible) {
      options.add(new Option(what, 1, null));
    }
  }

  private long state(Actor turn, String what) {
    long result = shelf.hash() ^ OrdersShelf.hash(turn.name + what);
    for (Actor actor : actors) {
      result ^=
          OrdersShelf.mix(
              actor.memory
                  + OrdersShelf.hash(actor.name + actor.life + actor.lastEpoch + actor.dead));
    }
    for (Late request : late) {
      result += OrdersShelf.hash(request.what());
    }
    return result + OrdersShelf.mix(published);
  }

  private <T> T learnt(Actor actor, String what, Operation<T> operation) throws IOException {
    try {
      T result = operation.run();
      learn(actor, what, hashOf(result));
      say(actor, what + " -> " + shortly(result));
      return result;
    } catch (IOException e) {
      learn(actor, what, OrdersShelf.hash(e.getClass().getName()));
      say(actor, what + " -> " + e.getClass().getSimpleName());
      throw e;
    }
  }

  private static long hashOf(@Nullable Object result) {
    if (result instanceof byte[] bytes) {
      return OrdersShelf.hash("", bytes);
    }
    return OrdersShelf.hash(String.valueOf(result));
  }

  private static String shortly(@Nullable Object result) {
    if (result instanceof byte[] bytes) {
      return bytes.length + " bytes";
    }
    if (result instanceof List<?> list) {
      return list.stream().map(f -> ((FileIO.FileStatus) f).name()).sorted().toList().toString();
    }
    return String.valueOf(result);
  }

  private static void learn(Actor actor, String what, long result) {
    actor.memory = OrdersShelf.mix(actor.memory * 31 + OrdersShelf.hash(what) + result);
  }

  private void say(Actor actor, String what) {
    if (trace != null) {
      trace.add(actor.name + " " + what);
    }
  }

  // ---- what programs tell, and what is promised

  /** A daemon has begun. */
  void recovered(Actor daemon, int position, List<String> history) throws IOException {
    // One that has slept meanwhile will find out at its next epoch.
    if (isNewestOwner(daemon)) {
      if (position < published) {
        throw new AssertionError(
            daemon.name + " begins at " + position + ", but " + published + " was finished");
      }
      requireTables(position, "when " + daemon.name + " has begun");
      List<String> expected = new ArrayList<>();
      for (int at = 1; at <= position; at++) {
        expected.add(OrdersScript.token(at));
      }
      if (!history.equals(expected)) {
        throw new AssertionError(daemon.name + " finds history " + history + " at " + position);
      }
    }
  }

  private boolean isNewestOwner(Actor daemon) throws IOException {
    EpochFile highest =
        new EpochStore(new OrdersStorage(this, null), WAREHOUSE, PIPELINE).readHighest();
    return highest != null && highest.incarnation().equals(OrdersDaemon.incarnation(daemon));
  }

  /** An epoch is in all its tables. */
  void published(int position) {
    published = Math.max(published, position);
  }

  void foreignCommitted(String table, String token) {
    foreignTokens.put(token, table);
  }

  FileIO raw() {
    return new OrdersStorage(this, null);
  }

  private void requireTables(int position, String when) throws IOException {
    for (String table : scenario.script().tables()) {
      TreeSet<String> expected = scenario.script().expected(table, position);
      if (!scenario.script().truncates(table)) {
        foreignTokens.forEach(
            (token, where) -> {
              if (where.equals(table)) {
                expected.add(token);
              }
            });
      }
      List<String> found = tokens(table);
      List<String> ours = new ArrayList<>(found);
      // What others' commits hold is checked as far as their answer was seen.
      ours.removeIf(token -> token.startsWith("w") && !expected.contains(token));
      ours.sort(Comparator.naturalOrder());
      List<String> wanted = new ArrayList<>(expected);
      if (!ours.equals(wanted)) {
        throw new AssertionError(
            when + ", table " + table + " holds " + found + " and not " + wanted);
      }
    }
  }

  /** All tokens in a table, by its newest snapshot. */
  private List<String> tokens(String table) throws IOException {
    LsmTable lsm = looks.get(table);
    if (lsm == null) {
      String root = lake(table).root(WAREHOUSE);
      if (!LsmTable.exists(raw(), root)) {
        return List.of();
      }
      lsm = LsmTable.open(raw(), root, clock, new TestIds("look"), LsmTable.Waits.NONE);
      looks.put(table, lsm);
    }
    Snapshot latest = lsm.snapshots().findLatest();
    if (latest == null) {
      return List.of();
    }
    String key = table + latest.baseManifestList() + latest.deltaManifestList();
    List<String> files = liveFiles.get(key);
    if (files == null) {
      files = lsm.liveFiles(latest).stream().map(entry -> entry.file().fileName()).toList();
      liveFiles.put(key, files);
    }
    List<String> result = new ArrayList<>();
    Set<String> names = new TreeSet<>();
    for (String name : files) {
      if (!names.add(name)) {
        throw new AssertionError(table + " holds file " + name + " twice");
      }
      if (!shelf.exists(fileOf(table, name))) {
        throw new AssertionError(table + " names file " + name + ", which is gone");
      }
      result.addAll(tokensOf(name));
    }
    return result;
  }

  static LakeTable lake(String table) {
    return new LakeTable("d", table);
  }

  static String fileOf(String table, String name) {
    return lake(table).root(WAREHOUSE) + "/bucket-0/" + name;
  }

  /** {@code t1+t2+w1~d1-000007}: the tokens that are in a file, and who wrote it. */
  static List<String> tokensOf(String fileName) {
    String tokens = fileName.substring(0, fileName.indexOf('~'));
    return tokens.isEmpty() ? List.of() : Arrays.asList(tokens.split("\\+"));
  }
}
