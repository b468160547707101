# Sourced by test-packages: bare Debian 12 systems in folders, and programs in them. Needs root.

# make_root FOLDER: a bare system, from the mirror that this machine itself uses. It is kept as an
# archive for the next time, because loading it takes minutes.
root_archive=$root/.build/debian-root.tar

make_root() {
    if [[ ! -e $root_archive ]]; then
        say "loading a bare Debian 12"
        local made=$work/bare
        debootstrap --variant=minbase bookworm "$made" "$(mirror)" >"$work/debootstrap.log" 2>&1 || {
            tail "$work/debootstrap.log" >&2
            die "there is no Debian to load"
        }
        rm -rf "$made"/var/cache/apt/archives/*.deb "$made"/var/lib/apt/lists/*
        tar -C "$made" -cf "$root_archive.new" .
        mv "$root_archive.new" "$root_archive"
        rm -rf "$made"
    fi
    mkdir -p "$1"
    tar -C "$1" -xf "$root_archive"
    use_sources_of_machine "$1"
}

# The first address among the sources of packages.
mirror() {
    apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
        sed -n 's/ bookworm$//p' | head -n 1
}

use_sources_of_machine() {
    rm -f "$1/etc/apt/sources.list"
    cp /etc/apt/sources.list.d/*.sources "$1/etc/apt/sources.list.d/" 2>/dev/null || true
    [[ ! -s /etc/apt/sources.list ]] || cp /etc/apt/sources.list "$1/etc/apt/"
    # How it is reached: through proxies, with which certificates.
    apt-config dump Acquire | grep -v '::IndexTargets' >"$1/etc/apt/apt.conf.d/10machine"
    cp /etc/resolv.conf /etc/hosts "$1/etc/"
    # Someone answers yes.
    cat >"$1/etc/apt/apt.conf.d/20yes" <<'END'
APT::Get::Assume-Yes "true";
APT::Sandbox::User "root";
END
}

# in_root FOLDER COMMAND: runs a shell's command there, in an environment with nothing but a PATH.
in_root() {
    unshare --mount --pid --fork --kill-child bash -c '
        mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc" &&
            exec chroot "$1" /usr/bin/env -i HOME=/root USER=root LANG=C.UTF-8 TERM=dumb \
                DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin \
                bash -euo pipefail -c "$2"' in_root "$1" "$2"
}
