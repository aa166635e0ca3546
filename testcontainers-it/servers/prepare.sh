#!/bin/sh
# Fetches the MySQL server that the tests run against and unpacks it privately: nothing is installed, no root is needed.
#
#   prepare.sh [FOLDER]     FOLDER defaults to .servers at the root of the repository; the server goes to FOLDER/mysql
#
# The packages come from Debian's suite sid (the only Debian suite with MySQL), from the mirror that this machine's apt
# is configured with. They bring their own C library, so they run on any Linux of the same processor. What was fetched
# before is kept and used again. Exit code 0: FOLDER/mysql/bin/mysqld works; 3: it cannot be had here (the reason is on
# standard error).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
servers=${1:-"$here/../../.servers"}
mkdir -p "$servers"
servers=$(cd "$servers" && pwd)
target=$servers/mysql

give_up() {
  echo "prepare.sh: no MySQL server could be fetched: $1" >&2
  echo "prepare.sh: $2" >&2
  exit 3
}

works() { [ -x "$target/bin/mysqld" ] && "$target/bin/mysqld" --no-defaults --version >/dev/null 2>&1; }

if works; then
  exit 0
fi

# Two builds at once: the second waits for the first and then finds its work done.
if command -v flock >/dev/null 2>&1; then
  exec 9>"$servers/.lock"
  flock 9
  if works; then
    exit 0
  fi
fi

for tool in apt-get dpkg-deb awk; do
  command -v "$tool" >/dev/null 2>&1 || give_up "this machine has no $tool" \
    "Set SLUICE_MYSQL_HOME to an unpacked MySQL 8.0 or newer (bin/mysqld in it), or put mysqld on the PATH."
done

# The first mirror of the machine's own configuration: deb822 files ("URIs:") or one-line files ("deb URI suite ...").
configured=
for file in /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [ -r "$file" ] && configured="$configured $file"
done
[ -n "$configured" ] || give_up "apt has no configured sources in /etc/apt" \
  "Set SLUICE_MYSQL_HOME to an unpacked MySQL 8.0 or newer (bin/mysqld in it), or put mysqld on the PATH."
# shellcheck disable=SC2086
mirror=$(awk '
  /^URIs:/ { print $2; exit }
  /^deb / { sub(/\[[^]]*\]/, ""); print $2; exit }' $configured)
[ -n "$mirror" ] || give_up "apt's sources name no mirror" \
  "Set SLUICE_MYSQL_HOME to an unpacked MySQL 8.0 or newer (bin/mysqld in it), or put mysqld on the PATH."

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keyring" ] || give_up "$keyring is missing" \
  "Install the package debian-archive-keyring, or set SLUICE_MYSQL_HOME to an unpacked MySQL 8.0 or newer."

work=$servers/.mysql-in-progress
rm -rf "$work"
mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial" "$work/debs" "$work/home/root" "$work/home/bin"
: >"$work/apt/status"
echo "deb [signed-by=$keyring] $mirror sid main" >"$work/apt/sources.list"

apt() {
  apt-get -qq \
    -o "Dir::Etc::sourcelist=$work/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o "Dir::State::Lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache" -o "Dir::State::status=$work/apt/status" \
    -o APT::Sandbox::User=root -o Acquire::Languages=none -o Debug::NoLocking=1 -o Acquire::Retries=5 "$@"
}

# Mirrors are in motion now and then (a list is there, its file not yet): a few attempts before giving up.
fetch() {
  apt update || return 1
  # The server's programs need neither Perl nor the compiler's documentation packages.
  packages=$(apt -s --no-install-recommends install mysql-server-core mysql-client-core |
    awk '/^Inst/{print $2"="substr($3,2)}' | grep -Ev '^(perl|libperl|libdb5|libgdbm|gcc-.*-base|libc-gconv)') || return 1
  [ -n "$packages" ] || return 1
  # shellcheck disable=SC2086
  (cd "$work/debs" && apt download $packages) || return 1
}

echo "prepare.sh: fetching MySQL into $target (about 75 MB, once)" >&2
attempt=1
until fetch >"$work/log" 2>&1; do
  if [ "$attempt" -ge 3 ]; then
    tail -n 5 "$work/log" >&2
    give_up "the mirror $mirror did not serve mysql-server-core of suite sid after $attempt attempts (log: $work/log)" \
      "Check the network, or set SLUICE_MYSQL_HOME to an unpacked MySQL 8.0 or newer (bin/mysqld in it)."
  fi
  attempt=$((attempt + 1))
  sleep 3
done

for package in "$work"/debs/*.deb; do
  dpkg-deb -x "$package" "$work/home/root"
done
rm -rf "$work/home/root/usr/share/doc" "$work/home/root/usr/share/man" "$work/home/root/usr/share/locale"

# One small program per tool: sid's own loader and libraries, found beside the program, so the folder can be moved.
for program in sbin/mysqld bin/mysql bin/mysqladmin bin/mysqldump bin/mysqlbinlog; do
  [ -e "$work/home/root/usr/$program" ] || continue
  name=$(basename "$program")
  cat >"$work/home/bin/$name" <<PROGRAM
#!/bin/sh
r=\$(cd "\$(dirname "\$0")/../root" && pwd)
for l in "\$r"/usr/lib64/ld-linux-*.so.2 "\$r"/usr/lib/ld-linux-*.so.1; do [ -e "\$l" ] && break; done
for p in "\$r"/usr/lib/*-linux-gnu; do [ -e "\$p/libc.so.6" ] && break; done
exec "\$l" --library-path "\$p" "\$r/usr/$program" "\$@"
PROGRAM
  chmod 755 "$work/home/bin/$name"
done
chmod 755 "$work/home"

rm -rf "$target"
mv "$work/home" "$target"
rm -rf "$work"
works || give_up "the unpacked server does not start: $("$target/bin/mysqld" --no-defaults --version 2>&1 | head -n 3)" \
  "Set SLUICE_MYSQL_HOME to an unpacked MySQL 8.0 or newer (bin/mysqld in it), or put mysqld on the PATH."
