# Sourced by install and uninstall: where everything goes. systemd reads the same folders below
# /usr, /usr/local and /etc.

PREFIX=${PREFIX:-/usr/local}
SYSCONFDIR=${SYSCONFDIR:-/etc}
DESTDIR=${DESTDIR:-}
[[ $PREFIX == /* && $SYSCONFDIR == /* ]] || die "PREFIX and SYSCONFDIR must be absolute paths"

library=$PREFIX/lib
system_units=$library/systemd/system
user_units=$library/systemd/user
documents=$PREFIX/share/doc/proxyd
configuration=$SYSCONFDIR/proxyd/proxyd.toml
