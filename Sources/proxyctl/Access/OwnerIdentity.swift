internal import Glibc

/// Root becomes the store's owner before it touches the store.
///
/// Whatever root would create in the data directory (a write-ahead log, a lock), a daemon that
/// runs as another user could not open. So root gives up its rights for the rest of the command.
enum OwnerIdentity {
    static func assume(of path: String) {
        guard geteuid() == 0 else { return }
        var facts = stat()
        guard stat(path, &facts) == 0, facts.st_uid != 0 else { return }
        // The group first: without root's rights it could not be changed any more.
        guard setegid(facts.st_gid) == 0 else { return }
        _ = seteuid(facts.st_uid)
    }
}
