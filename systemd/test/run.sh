#!/bin/bash
# Runs the unit under a real systemd: a small Debian in a folder, booted by systemd-nspawn, with the archive in /opt/sluice
# and a MySQL server outside. Needs root, debootstrap and systemd-nspawn (apt-get install debootstrap systemd-container),
# a JDK 17 (jdb stages the hang), Maven, and the tests' MySQL (SLUICE_MYSQL_HOME, or testcontainers-it/servers/prepare.sh).
#
#   systemd/test/run.sh [ARCHIVE]     ARCHIVE: a sluice-*.tar.gz; built if it is not given
#
# Environment: SLUICE_TREE, the Debian's folder, made if it is missing and kept then (default: in the temporary folder).
#
# It takes about eight minutes and says for each fact 'ok' or 'FAILED'; exit code 0: all are ok.
set -u

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/sluice-systemd.XXXXXX")
watchdog=${SLUICE_TEST_WATCHDOG:-60}
mysql_home=${SLUICE_MYSQL_HOME:-$root/.servers/mysql}
failures=0
nspawn=
mysqld=
jdb=

die() {
  echo "run.sh: $*" >&2
  exit 3
}

cleanup() {
  [ -n "$jdb" ] && kill "$jdb" 2>/dev/null
  if [ -n "$nspawn" ] && kill -0 "$nspawn" 2>/dev/null; then
    inside systemctl --no-block poweroff 2>/dev/null
    for _ in $(seq 60); do kill -0 "$nspawn" 2>/dev/null || break; sleep 1; done
    kill -9 "$nspawn" 2>/dev/null
  fi
  [ -s "$work/db/pid" ] && kill "$(cat "$work/db/pid")" 2>/dev/null
  [ -n "$mysqld" ] && wait "$mysqld" 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

[ "$(id -u)" = 0 ] || die "needs root"
for tool in debootstrap systemd-nspawn nsenter jdb java curl; do
  command -v "$tool" >/dev/null || die "there is no $tool (apt-get install debootstrap systemd-container openjdk-17-jdk-headless curl)"
done
[ -x "$mysql_home/bin/mysqld" ] || "$root/testcontainers-it/servers/prepare.sh" || die "no MySQL server"

archive=${1:-}
if [ -z "$archive" ]; then
  (cd "$root" && mvn -q -B -Dquick -DskipTests -pl systemd -am package) || die "the build failed"
  archive=$(ls -t "$root"/systemd/target/sluice-*.tar.gz | head -n 1)
fi
[ -f "$archive" ] || die "there is no archive $archive"

ok() { echo "ok      $*"; }
failed() {
  echo "FAILED  $*"
  failures=$((failures + 1))
}
is() { # what it is about, expected, found
  if [ "$2" = "$3" ]; then ok "$1: $3"; else failed "$1: expected '$2', found '$3'"; fi
}
await() { # seconds, what it is about, command...
  local limit=$(($(date +%s) + $1)) what=$2 begun
  begun=$(date +%s)
  shift 2
  until "$@" >/dev/null 2>&1; do
    if [ "$(date +%s)" -gt "$limit" ]; then
      failed "$what: not within the time"
      return 1
    fi
    sleep 0.5
  done
  ok "$what (after $(($(date +%s) - begun)) s)"
}

# --- the database, outside -------------------------------------------------------------------------------------------
free_port() { python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1",0)); print(s.getsockname()[1])'; }
port=$(free_port)
debug_port=$(free_port)
http_port=$(free_port)
mkdir "$work/db"
cat >"$work/db/init.sql" <<SQL
CREATE USER 'cdc'@'%' IDENTIFIED BY 'cdc-word';
GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT, LOCK TABLES ON *.* TO 'cdc'@'%';
CREATE DATABASE shop;
CREATE TABLE shop.items (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40));
INSERT INTO shop.items (name) VALUES ('one'), ('two'), ('three');
SQL
server() {
  "$mysql_home/bin/mysqld" --no-defaults --basedir="$mysql_home/root/usr" --lc-messages-dir="$mysql_home/root/usr/share/mysql" \
    --plugin-dir="$mysql_home/root/usr/lib/mysql/plugin" --datadir="$work/db/data" --user=root --secure-file-priv= \
    --log-error="$work/db/err" "$@"
}
server --initialize-insecure --init-file="$work/db/init.sql" || die "the database: $(tail -n 5 "$work/db/err")"
server --port="$port" --bind-address=127.0.0.1 --mysqlx=OFF --socket="$work/db/s" --pid-file="$work/db/pid" --server-id=7 \
  --log-bin=binlog --binlog-format=ROW --binlog-row-image=FULL --binlog-row-metadata=FULL --gtid-mode=ON \
  --enforce-gtid-consistency=ON --skip-name-resolve --performance-schema=OFF --sync-binlog=0 \
  --innodb-flush-log-at-trx-commit=0 --innodb-redo-log-capacity=64M &
mysqld=$!
sql() { "$mysql_home/bin/mysql" --no-defaults -N -u root -S "$work/db/s" -e "$1"; }
for _ in $(seq 120); do sql 'SELECT 1' >/dev/null 2>&1 && break; sleep 0.5; done
sql 'SELECT 1' >/dev/null || die "the database did not start: $(tail -n 5 "$work/db/err")"
rows() { sql 'SELECT COUNT(*) FROM shop.items'; }
insert() { sql "INSERT INTO shop.items (name) VALUES ('$1')"; }
# A server without any transaction in its binlog can't be followed yet: the start would wait for one.
insert 'first in the binlog'

# --- the machine -----------------------------------------------------------------------------------------------------
tree=${SLUICE_TREE:-$work/tree}
if [ ! -x "$tree/usr/lib/systemd/systemd" ] && [ ! -x "$tree/lib/systemd/systemd" ]; then
  echo "run.sh: making a small Debian in $tree"
  debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,procps bookworm "$tree" >"$work/debootstrap.log" ||
    die "debootstrap failed: $(tail -n 3 "$work/debootstrap.log")"
fi
rm -rf "$tree/opt/sluice" "$tree/srv/lake" "$tree/etc/sluice" "$tree"/etc/systemd/system/sluice* "$tree"/var/log/journal
mkdir -p "$tree/opt/sluice" "$tree/usr/lib/sysusers.d" "$tree/usr/lib/tmpfiles.d" "$tree/srv/lake" "$tree/etc/sluice"
tar -xzf "$archive" -C "$tree/opt/sluice" --strip-components=1
cp "$tree/opt/sluice/systemd/sluice@.service" "$tree/etc/systemd/system/"
cp "$tree/opt/sluice/systemd/sluice.sysusers" "$tree/usr/lib/sysusers.d/sluice.conf"
cp "$tree/opt/sluice/systemd/sluice.tmpfiles" "$tree/usr/lib/tmpfiles.d/sluice.conf"
printf 'cdc-word' >"$tree/etc/sluice/shop.password"
chmod 600 "$tree/etc/sluice/shop.password"
cat >"$tree/etc/sluice/shop.conf" <<CONF
sluice {
  pipeline = shop
  warehouse = "file:///srv/lake"
  commit-interval = 500ms
  source {
    type = mysql, host = "127.0.0.1", port = $port
    user = cdc, password-file = \${CREDENTIALS_DIRECTORY}/source-password
    include = ["shop.*"]
  }
  http.listen = "127.0.0.1:$http_port"
}
CONF
cat >"$tree/etc/sluice/shop.env" <<ENV
SLUICE_HEAP=256m
SLUICE_JAVA_OPTS=-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:$debug_port -XX:TieredStopAtLevel=1
JAVA_HOME=/opt/java
ENV
mkdir -p "$tree/etc/systemd/system/sluice@shop.service.d"
cat >"$tree/etc/systemd/system/sluice@shop.service.d/test.conf" <<DROP
[Service]
LoadCredential=source-password:/etc/sluice/shop.password
WatchdogSec=$watchdog
RestartSec=1
DROP

java_home=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")
binds=(--bind-ro="$java_home:/opt/java")
# Debian keeps the JVM's configuration apart.
for etc in /etc/java-*; do [ -d "$etc" ] && binds+=(--bind-ro="$etc"); done
systemd-nspawn -q -D "$tree" -b --register=no --keep-unit --console=pipe "${binds[@]}" >"$work/console" 2>&1 </dev/null &
nspawn=$!
leader=
for _ in $(seq 120); do
  leader=$(pgrep -P "$nspawn" | head -n 1)
  [ -n "$leader" ] && break
  sleep 0.5
done
[ -n "$leader" ] || die "systemd-nspawn did not start: $(cat "$work/console")"
inside() { nsenter -t "$leader" -a "$@"; }
booted() { inside systemctl is-system-running 2>/dev/null | grep -Eq 'running|degraded'; }
await 120 "the machine has booted, $(inside systemctl --version | head -n 1)" booted || die "$(cat "$work/console")"
inside systemd-sysusers || die "systemd-sysusers failed"
inside systemd-tmpfiles --create sluice.conf || failed "systemd-tmpfiles"
inside chown sluice:sluice /srv/lake
inside chgrp -R sluice /etc/sluice

unit=sluice@shop
show() { inside systemctl show "$unit" -p "$1" --value; }
journal() { inside journalctl -u "$unit" -o cat --no-pager "$@"; }
in_lake() { inside env LC_ALL=C.UTF-8 JAVA_HOME=/opt/java /opt/sluice/bin/sluice scan /srv/lake/shop.db/items --format jsonl 2>/dev/null | wc -l; }
lake_is() { [ "$(in_lake)" = "$1" ]; }
active() { [ "$(show ActiveState)" = active ]; }
restarted() { [ "$(show NRestarts)" -ge "$1" ] && active; }
wait_lake() { await 120 "the lake has the source's $(rows) rows" lake_is "$(rows)"; }

echo "== the unit file"
if inside systemd-analyze verify "/etc/systemd/system/sluice@.service"; then ok "systemd-analyze verify"; else failed "systemd-analyze verify"; fi
exposure=$(inside systemd-analyze security --no-pager "$unit" 2>/dev/null | sed -n 's/.*exposure level for .*: \([0-9.]*\).*/\1/p')
if [ -n "$exposure" ] && [ "$(echo "$exposure" | cut -d. -f1)" -lt 2 ]; then ok "systemd-analyze security: $exposure"; else failed "systemd-analyze security: $exposure"; fi

echo "== start"
begun=$(date +%s)
if inside systemctl start "$unit"; then
  ok "start returned once it was ready (after $(($(date +%s) - begun)) s)"
else
  failed "start: $(journal -n 30)"
fi
is "state" active "$(show ActiveState)"
status() { show StatusText | grep -Eq '^Epoch [0-9]+, 1 table'; }
await 60 "status line" status
echo "        $(show StatusText)"
wait_lake

echo "== kill -9"
pid=$(show MainPID)
kill9=$(date +%s)
inside bash -c "kill -9 $pid"
await 120 "started anew" restarted 1
echo "        ready $(($(date +%s) - kill9)) s after the kill"
if journal | grep -q 'going on at once'; then ok "did not wait for the lease"; else failed "waited for the lease"; fi
insert 'after kill'
wait_lake

echo "== one stage hangs (jdb suspends the committer's thread), watchdog ${watchdog} s"
before=$(show NRestarts)
mkfifo "$work/jdb"
jdb -attach "127.0.0.1:$debug_port" <"$work/jdb" >"$work/jdb.out" 2>&1 &
jdb=$!
exec 8>"$work/jdb"
echo threads >&8
thread=
for _ in $(seq 120); do
  thread=$(sed -n 's/^ *([^)]*)\([0-9a-fx]*\) *shop-epoch .*/\1/p' "$work/jdb.out" | head -n 1)
  [ -n "$thread" ] && break
  sleep 0.5
done
if [ -n "$thread" ]; then
  echo "suspend $thread" >&8
  for _ in $(seq 6); do insert 'while it hangs'; sleep 0.5; done
  hung=$(date +%s)
  said() { journal | grep -q 'Hangs: committer'; }
  await $((watchdog * 2)) "the hang is seen and told" said
  await $((watchdog * 3)) "killed and started anew" restarted $((before + 1))
  echo "        ready again $(($(date +%s) - hung)) s after the hang"
  if journal | grep -q 'Watchdog timeout'; then ok "by the watchdog"; else failed "not by the watchdog: $(journal -n 20)"; fi
  if journal | grep -q 'ServiceNotifier: Thread shop-epoch .*PipelineMonitor'; then ok "its stack is in the journal"; else failed "no stack in the journal"; fi
else
  failed "jdb found no committer: $(cat "$work/jdb.out")"
fi
exec 8>&-
kill "$jdb" 2>/dev/null
jdb=
wait_lake

echo "== the whole process hangs (SIGSTOP)"
before=$(show NRestarts)
inside bash -c "kill -STOP $(show MainPID)"
await $((watchdog * 3)) "killed and started anew" restarted $((before + 1))
insert 'after stop signal'
wait_lake

echo "== quiet for twice the watchdog's time: nothing happens"
before=$(show NRestarts)
sleep $((watchdog * 2))
is "restarts meanwhile" "$before" "$(show NRestarts)"

echo "== reload"
before=$(show NRestarts)
if inside systemctl reload "$unit"; then ok "systemctl reload"; else failed "systemctl reload"; fi
was_read() { journal -n 20 | grep -q 'The config has not changed'; }
await 60 "the config was read again" was_read
is "restarts" "$before" "$(show NRestarts)"
is "state" active "$(show ActiveState)"

echo "== stop"
# Rows that it has taken in, committed or not.
taken() { curl -s "http://127.0.0.1:$http_port/metrics" | sed -n 's/^sluice_rows_total{.*kind="insert".*} \([0-9]*\).*/\1/p'; }
before=$(taken)
for i in 1 2 3 4 5; do insert "last $i"; done
has_taken() { [ "$(taken)" -ge $((before + 5)) ]; }
await 60 "five more rows are taken in" has_taken
inside systemctl stop "$unit"
is "result" success "$(show Result)"
is "exit code" 0 "$(show ExecMainStatus)"
is "the lake has the source's rows at once" "$(rows)" "$(in_lake)"

echo "== exit code 4: another daemon takes over"
inside systemctl reset-failed "$unit" 2>/dev/null
inside systemctl start "$unit"
before=$(show NRestarts)
inside systemd-run -q --unit=rival --uid=sluice -p Type=exec -p LoadCredential=source-password:/etc/sluice/shop.password \
  -E JAVA_HOME=/opt/java -E SLUICE_HEAP=256m /opt/sluice/bin/sluice run --take-over -c /etc/sluice/shop.conf
gave_way() { [ "$(show ActiveState)" = failed ]; }
await 120 "gave way" gave_way
is "exit code" 4 "$(show ExecMainStatus)"
echo "        $(show StatusText)"
sleep 10
is "restarts" "$before" "$(show NRestarts)"
is "still down" failed "$(show ActiveState)"
insert 'the rival has it'
wait_lake
inside systemctl stop rival

echo "== exit code 2: wrong config"
echo 'sluice.no-such-key = 1' >>"$tree/etc/sluice/shop.conf"
inside systemctl reset-failed "$unit" 2>/dev/null
if inside systemctl start "$unit" 2>/dev/null; then failed "it started"; else ok "start fails"; fi
is "exit code" 2 "$(show ExecMainStatus)"
sleep 10
is "restarts" 0 "$(show NRestarts)"
is "still down" failed "$(show ActiveState)"

if [ "$failures" != 0 ]; then
  journal -n 200 >"${TMPDIR:-/tmp}/sluice-systemd-journal.txt"
  echo "run.sh: $failures FAILED; the journal: ${TMPDIR:-/tmp}/sluice-systemd-journal.txt"
  exit 1
fi
echo "run.sh: all ok"
