#!/bin/sh
# Installs dbdyno for this user, from the published archive of this kind of machine:
#
#   curl -fsSL https://github.com/dbdyno/dbdyno/releases/latest/download/install.sh | sh
#
# DBDYNO_PREFIX   where to: ~/.local
# DBDYNO_VERSION  which: 0.2.0; the newest
# DBDYNO_RELEASES where from: https://github.com/dbdyno/dbdyno/releases, or a folder with the archive and its checksum
set -eu

prefix=${DBDYNO_PREFIX:-$HOME/.local}
releases=${DBDYNO_RELEASES:-https://github.com/dbdyno/dbdyno/releases}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

[ "$(uname -s)" = Linux ] || fail "there are archives for Linux only, and this is $(uname -s): see the README for how to build it"
case $(uname -m) in
  x86_64 | amd64) target=x86_64-unknown-linux-gnu ;;
  aarch64 | arm64) target=aarch64-unknown-linux-gnu ;;
  *) fail "there is no archive for $(uname -m), only for x86_64 and aarch64: see the README for how to build it" ;;
esac
archive=dbdyno-$target.tar.gz

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

get() {
  if [ -d "$releases" ]; then
    cp "$releases/$1" .
  else
    from=$releases/${DBDYNO_VERSION:+download/v$DBDYNO_VERSION}
    [ -n "${DBDYNO_VERSION:-}" ] || from=$releases/latest/download
    if command -v curl > /dev/null; then
      curl -fsSLO "$from/$1"
    elif command -v wget > /dev/null; then
      wget -q "$from/$1"
    else
      fail "neither curl nor wget is there to download with"
    fi
  fi || fail "$1 could not be had from $releases"
}

get "$archive"
get "$archive.sha256"
sha256sum -c "$archive.sha256" > /dev/null 2>&1 || fail "$archive is not what its checksum says: nothing was installed"
tar -xzf "$archive"
mkdir -p "$prefix"
cp -R "dbdyno-$target/." "$prefix/"

echo "$("$prefix/bin/dbdyno" --version) is in $prefix/bin"
case :$PATH: in
  *":$prefix/bin:"*) echo "dbdyno --preset quick runs a first bench; dbdyno alone opens the screens" ;;
  *) echo "put it on your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
