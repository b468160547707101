internal import Glibc

/// Makes a root process take the identity of the store's owner before it accesses the store.
///
/// Otherwise a daemon running as another user could not open files that root creates in the data
/// directory (a write-ahead log, a lock). So root drops its privileges for the rest of the command.
enum OwnerIdentity {
    static func assume(of path: String) {
        guard geteuid() == 0 else { return }
        var facts = stat()
        guard stat(path, &facts) == 0, facts.st_uid != 0 else { return }
        // The group first: without root's privileges it could no longer be changed.
        guard setegid(facts.st_gid) == 0 else { return }
        _ = seteuid(facts.st_uid)
    }
}
