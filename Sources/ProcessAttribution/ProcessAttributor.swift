internal import ProxydCLinuxNet
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Determines which local program opened a connection, away from the threads that serve it.
///
/// Look-ups run one after another on a separate thread; the number that may wait is bounded.
public final class ProcessAttributor: Sendable {
    private let worker: Worker
    private let queue = DispatchQueue(label: "proxyd.process-attribution", qos: .utility)
    private let waitingCount = Atomic<Int>(0)
    private let waitingCountMax: Int

    /// - Parameter waitingCountMax: Look-ups that may wait; more are answered with nil immediately.
    public init(waitingCountMax: Int = 1_024) {
        self.waitingCountMax = waitingCountMax
        worker = Worker()
    }

    /// Looks for the program at the other end of a connection that reached us.
    /// - Parameters:
    ///   - client: the client's address, our peer.
    ///   - local: our own address on the connection.
    ///   - completion: called once, on the attributor's thread, or immediately on the caller's if
    ///     too many wait. nil if the client is not on this machine, is already gone, or belongs
    ///     to someone whose processes we may not look at.
    public func lookUp(
        client: TCPEndpoint, local: TCPEndpoint,
        completion: @escaping @Sendable (LocalProcess?) -> Void
    ) {
        guard waitingCount.add(1, ordering: .relaxed).newValue <= waitingCountMax else {
            waitingCount.subtract(1, ordering: .relaxed)
            return completion(nil)
        }
        queue.async { [self] in
            let found = worker.process(client: client, local: local)
            waitingCount.subtract(1, ordering: .relaxed)
            completion(found)
        }
    }

    /// State used only by the queue's thread.
    ///
    /// Proof for `@unchecked Sendable`: `process` is called only in blocks on the attributor's
    /// serial queue, which never runs two of them at the same time.
    private final class Worker: @unchecked Sendable {
        private let diagnosis = SocketDiagnosis()
        private var search = SocketOwnerSearch()

        func process(client: TCPEndpoint, local: TCPEndpoint) -> LocalProcess? {
            // The client's socket has the ends reversed.
            guard let socket = diagnosis?.socket(local: client, remote: local) else { return nil }
            return search.owner(ofInode: socket.inode, uid: socket.uid)
        }
    }
}

/// A program on this machine that has one end of a connection.
public struct LocalProcess: Sendable, Hashable {
    public let pid: Int32
    /// The program's name, without its path.
    public let name: String

    public init(pid: Int32, name: String) {
        self.pid = pid
        self.name = name
    }
}

/// One end of a TCP connection: an IP address and a port.
public struct TCPEndpoint: Sendable, Hashable {
    /// 4 or 16 bytes in network order. IPv4 addresses mapped into IPv6 are kept as IPv4, because
    /// the kernel lists such connections under their IPv4 addresses.
    let bytes: [UInt8]
    /// In host order.
    let port: UInt16

    /// Parses an address without brackets; nil if it is not an IP address.
    public init?(ip: String, port: UInt16) {
        self.port = port
        var v4 = in_addr()
        if inet_pton(AF_INET, ip, &v4) == 1 {
            bytes = withUnsafeBytes(of: v4) { Array($0) }
            return
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, ip, &v6) == 1 else { return nil }
        let all = withUnsafeBytes(of: v6) { Array($0) }
        let mappedPrefix: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
        bytes = all.starts(with: mappedPrefix) ? Array(all[12...]) : all
    }
}

/// Asks the kernel for one TCP socket by its two ends: a look-up in its hash table, not a walk
/// through all sockets (sock_diag(7)).
///
/// Not for concurrent use. Needs no privileges.
final class SocketDiagnosis {
    struct Socket: Equatable {
        /// The number that `/proc/PID/fd` shows as `socket:[INODE]`.
        var inode: UInt32
        var uid: UInt32
    }

    private let descriptor: Int32
    private var sequence: UInt32 = 0

    /// Connects to the kernel; nil if it does not allow or support this, as in a sandbox.
    init?() {
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        descriptor = Glibc.socket(AF_NETLINK, kind, NETLINK_SOCK_DIAG)
        guard descriptor >= 0 else { return nil }
        // The kernel answers within the call; this is a guard against one that does not.
        var patience = timeval(tv_sec: 0, tv_usec: 100_000)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size)
        )
    }

    deinit { close(descriptor) }

    /// The socket whose own address is `local` and whose peer is `remote`; nil if there is none, or
    /// no process has it open any more.
    func socket(local: TCPEndpoint, remote: TCPEndpoint) -> Socket? {
        guard local.bytes.count == remote.bytes.count else { return nil }
        sequence &+= 1
        guard sendRequest(local: local, remote: remote) else { return nil }
        return receiveAnswer(local: local, remote: remote)
    }

    private struct Request {
        var header = nlmsghdr()
        var body = inet_diag_req_v2()
    }

    private func sendRequest(local: TCPEndpoint, remote: TCPEndpoint) -> Bool {
        var request = Request()
        request.header.nlmsg_len = UInt32(MemoryLayout<Request>.size)
        request.header.nlmsg_type = UInt16(SOCK_DIAG_BY_FAMILY)
        request.header.nlmsg_flags = UInt16(NLM_F_REQUEST)
        request.header.nlmsg_seq = sequence
        request.body.sdiag_family = UInt8(local.bytes.count == 4 ? AF_INET : AF_INET6)
        request.body.sdiag_protocol = UInt8(IPPROTO_TCP)
        request.body.idiag_states = .max
        request.body.id.idiag_sport = local.port.bigEndian
        request.body.id.idiag_dport = remote.port.bigEndian
        withUnsafeMutableBytes(of: &request.body.id.idiag_src) { $0.copyBytes(from: local.bytes) }
        withUnsafeMutableBytes(of: &request.body.id.idiag_dst) { $0.copyBytes(from: remote.bytes) }
        // INET_DIAG_NOCOOKIE: any socket with these ends.
        request.body.id.idiag_cookie = (.max, .max)
        return withUnsafeBytes(of: &request) {
            send(descriptor, $0.baseAddress, $0.count, 0) == $0.count
        }
    }

    private func receiveAnswer(local: TCPEndpoint, remote: TCPEndpoint) -> Socket? {
        // The answer may have attributes after its fixed part, which are cut off here.
        var buffer = [UInt8](repeating: 0, count: 1_024)
        // Late answers to earlier requests are skipped.
        for _ in 0..<8 {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count >= MemoryLayout<nlmsghdr>.size else { return nil }
            let answer = buffer.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[..<count]) }
            let header = answer.loadUnaligned(as: nlmsghdr.self)
            guard header.nlmsg_seq == sequence else { continue }
            let bodyOffset = MemoryLayout<nlmsghdr>.size
            guard header.nlmsg_type == UInt16(SOCK_DIAG_BY_FAMILY),
                count >= bodyOffset + MemoryLayout<inet_diag_msg>.size
            else { return nil }
            let body = answer.loadUnaligned(fromByteOffset: bodyOffset, as: inet_diag_msg.self)
            return Self.socket(body, local: local, remote: remote)
        }
        return nil
    }

    /// If no connection matches, the kernel may return a listener on the local port, which is not
    /// it. Inode 0 is a socket that its program has already closed.
    private static func socket(
        _ body: inet_diag_msg, local: TCPEndpoint, remote: TCPEndpoint
    ) -> Socket? {
        guard body.id.idiag_sport == local.port.bigEndian,
            body.id.idiag_dport == remote.port.bigEndian,
            body.idiag_inode != 0
        else { return nil }
        return Socket(inode: body.idiag_inode, uid: body.idiag_uid)
    }
}
