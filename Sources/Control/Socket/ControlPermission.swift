internal import Glibc

/// Who may talk to whom over the control socket.
enum ControlPermission {
    /// Whether a user may command a daemon that runs as `daemonUser`: the same user, or root.
    static func mayControl(user: UInt32, daemonUser: UInt32) -> Bool {
        user == daemonUser || user == 0
    }

    /// Whether a client should trust a listener: the data directory's owner, this user, or root.
    static func mayListen(user: UInt32, directoryOwner: UInt32, ownUser: UInt32) -> Bool {
        user == directoryOwner || user == ownUser || user == 0
    }

    /// The user on the other end of a Unix socket, as the kernel noted when it was connected.
    static func peerUser(of descriptor: Int32) -> UInt32? {
        // The kernel's `struct ucred`, which the Glibc module does not carry: pid, uid, gid.
        var numbers: [3 of UInt32] = [0, 0, 0]
        var size = socklen_t(MemoryLayout<[3 of UInt32]>.size)
        let outcome = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &numbers, &size)
        return outcome == 0 && size == 12 ? numbers[1] : nil
    }
}
