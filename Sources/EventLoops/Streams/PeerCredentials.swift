internal import Glibc

/// The process at the other end of a Unix socket, as it was when it connected.
public struct PeerCredentials: Sendable, Hashable {
    /// The process ID.
    public let processID: Int32
    /// The user ID.
    public let userID: UInt32
    /// The group ID.
    public let groupID: UInt32

    init?(of descriptor: Int32) {
        guard SocketCalls.option(descriptor, SOL_SOCKET, SO_DOMAIN) == AF_UNIX else { return nil }
        // struct ucred, which glibc defines only for GNU programs: pid, uid, gid.
        var words: [3 of UInt32] = [0, 0, 0]
        var length = socklen_t(MemoryLayout<[3 of UInt32]>.size)
        let result = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &words, &length)
        guard result == 0, length == 12 else { return nil }
        processID = Int32(bitPattern: words[0])
        userID = words[1]
        groupID = words[2]
    }
}
