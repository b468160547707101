internal import Glibc

/// The program on the other end of a Unix socket, as it was when it connected.
public struct PeerCredentials: Sendable, Hashable {
    /// Its process id.
    public let processID: Int32
    /// Its user.
    public let userID: UInt32
    /// Its group.
    public let groupID: UInt32

    init?(of descriptor: Int32) {
        guard SocketCalls.option(descriptor, SOL_SOCKET, SO_DOMAIN) == AF_UNIX else { return nil }
        // struct ucred, which glibc hides from plain programs: pid, uid, gid.
        var words: [3 of UInt32] = [0, 0, 0]
        var length = socklen_t(MemoryLayout<[3 of UInt32]>.size)
        let result = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &words, &length)
        guard result == 0, length == 12 else { return nil }
        processID = Int32(bitPattern: words[0])
        userID = words[1]
        groupID = words[2]
    }
}
