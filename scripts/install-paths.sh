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
configurations=$SYSCONFDIR/proxyd

# Whether this is about the running system, so that systemd is to know, and not about a package's
# staging folder or a folder of one's own.
is_system_wide() {
    [[ -z $DESTDIR && $EUID == 0 && -d /run/systemd/system ]] &&
        [[ $PREFIX == /usr || $PREFIX == /usr/local ]]
}
