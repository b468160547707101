internal import ProxydCLibevent
internal import Glibc

/// Socket calls that handle interruptions (EINTR) and return errors as values.
enum SocketCalls {
    /// The result of a call that moves bytes.
    enum Transfer {
        /// This many bytes were moved; 0 from a read is the end.
        case moved(Int)
        case wouldBlock
        case failed(errorNumber: Int32)
    }

    static func receive(
        _ descriptor: Int32, into buffer: UnsafeMutablePointer<UInt8>, byteCountMax: Int
    ) -> Transfer {
        transfer { recv(descriptor, buffer, byteCountMax, 0) }
    }

    /// Checks, without waiting, whether there is something to receive; consumes nothing.
    static func look(_ descriptor: Int32) -> Transfer {
        var byte: UInt8 = 0
        let flags = Int32(MSG_PEEK | MSG_DONTWAIT)
        return transfer { recv(descriptor, &byte, 1, flags) }
    }

    /// The destination that the connection had before netfilter changed it; nil if netfilter does
    /// not know the connection.
    static func originalDestination(
        of descriptor: Int32, family: SocketAddress.Family
    ) -> SocketAddress? {
        // SO_ORIGINAL_DST and IP6T_SO_ORIGINAL_DST of the kernel's netfilter headers.
        let name: Int32 = 80
        let level = Int32(family == .ipv6 ? IPPROTO_IPV6 : IPPROTO_IP)
        let (result, address) = SocketAddress.fromKernel {
            getsockopt(descriptor, level, name, $0, $1)
        }
        return result == 0 ? address : nil
    }

    /// Whether the peer has ended its direction, or the connection is gone, regardless of bytes
    /// that can still be received.
    static func hasPeerEnded(_ descriptor: Int32) -> Bool {
        // POLLRDHUP, which the C headers define only for GNU programs.
        let ended: Int16 = 0x2000
        var asked = pollfd(fd: descriptor, events: ended, revents: 0)
        return poll(&asked, 1, 0) > 0
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeBufferPointer<UInt8>) -> Transfer {
        transfer { Glibc.send(descriptor, bytes.baseAddress, bytes.count, noSignal) }
    }

    /// Sends two pieces, one after the other, in one call.
    static func send(
        _ descriptor: Int32, _ first: UnsafeBufferPointer<UInt8>,
        _ second: UnsafeBufferPointer<UInt8>
    ) -> Transfer {
        guard !first.isEmpty else { return send(descriptor, second) }
        var pieces: [2 of iovec] = [piece(first), piece(second)]
        return withUnsafeMutableBytes(of: &pieces) { bytes in
            var message = msghdr()
            message.msg_iov = bytes.baseAddress?.assumingMemoryBound(to: iovec.self)
            message.msg_iovlen = 2
            return transfer { sendmsg(descriptor, &message, noSignal) }
        }
    }

    private static let noSignal = Int32(MSG_NOSIGNAL)

    private static func piece(_ bytes: UnsafeBufferPointer<UInt8>) -> iovec {
        iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }

    private static func transfer(_ call: () -> Int) -> Transfer {
        while true {
            let count = call()
            if count >= 0 { return .moved(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            case let number: return .failed(errorNumber: number)
            }
        }
    }

    // MARK: Options

    static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    static func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, level, name, &value, &length) == 0 else { return nil }
        return value
    }

    /// How many unsent bytes the kernel accepts for a connection beyond those in flight. By default
    /// it accepts megabytes for a peer that reads slowly, all of which would pass through this
    /// process, and the recorder, at one time.
    private static let unsentByteCountMax: Int32 = 256 << 10

    /// Sets the options of every TCP connection: no delay to collect more bytes, a small amount of
    /// unsent data, and keepalive probes that detect after some minutes that a silent peer is gone.
    /// Accepted sockets inherit them from the listening one.
    static func setConnectionDefaults(_ descriptor: Int32) {
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, unsentByteCountMax)
        setOption(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 120)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 30)
    }

    /// Sends the acknowledgement that the kernel delays.
    static func acknowledge(_ descriptor: Int32) {
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, 1)
    }

    /// Makes close(2) send a reset and drop the queue.
    static func setResetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    static func setNonBlocking(_ descriptor: Int32) {
        let flags = fcntl(descriptor, F_GETFL)
        if flags >= 0, flags & O_NONBLOCK == 0 {
            _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Creates a non-blocking stream socket; negative with errno set if that fails.
    static func makeSocket(family: Int32) -> Int32 {
        let flags = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        return socket(family, Int32(flags), 0)
    }
}

/// Bytes waiting for the kernel: an array with a moving start offset. Has no storage while empty.
struct OutputQueue {
    private var storage: [UInt8] = []
    private var headOffset = 0

    var byteCount: Int { storage.count - headOffset }
    var isEmpty: Bool { headOffset == storage.count }

    /// Copies bytes to the end; returns how many wait.
    @discardableResult
    mutating func append(_ bytes: Span<UInt8>, loop: EventLoop) -> Int {
        if storage.capacity == 0 { storage = loop.takeSpareBuffer() }
        bytes.withUnsafeBufferPointer { storage.append(contentsOf: $0) }
        return byteCount
    }

    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        storage.withUnsafeBufferPointer { body(.init(rebasing: $0[headOffset...])) }
    }

    /// Calls `send` with the waiting bytes, and removes those it sent; also returns how many are
    /// left. A single call, because each access to a queue from outside is checked for exclusivity.
    mutating func send(
        loop: EventLoop, _ send: (UnsafeBufferPointer<UInt8>) -> SocketCalls.Transfer
    ) -> (outcome: SocketCalls.Transfer, leftByteCount: Int) {
        guard !isEmpty else { return (.moved(0), 0) }
        let outcome = withBytes(send)
        if case .moved(let count) = outcome { removeFirst(count, loop: loop) }
        return (outcome, byteCount)
    }

    mutating func removeFirst(_ byteCount: Int, loop: EventLoop) {
        headOffset += min(byteCount, self.byteCount)
        if isEmpty {
            removeAll(loop: loop)
        } else if headOffset >= 64 * 1_024, headOffset >= storage.count / 2 {
            // Moves at most as many bytes as were sent, so that each byte moves once on average.
            storage.removeFirst(headOffset)
            headOffset = 0
        }
    }

    /// Removes all bytes and gives the storage to the next stream that needs it.
    mutating func removeAll(loop: EventLoop) {
        guard storage.capacity > 0 else { return }
        let empty = storage
        storage = []
        headOffset = 0
        loop.keepSpareBuffer(empty)
    }
}

/// What the kernel knows about a stream's socket.
extension SocketStream {
    /// Creates a stream over a connected socket from elsewhere, which it owns from now on.
    public convenience init(adopting descriptor: Int32, on loop: EventLoop) {
        loop.preconditionOnLoop()
        SocketCalls.setNonBlocking(descriptor)
        let peer = SocketAddress.fromKernel { getpeername(descriptor, $0, $1) }.address ?? .unix
        if peer.family != .unix { SocketCalls.setConnectionDefaults(descriptor) }
        self.init(loop: loop, descriptor: descriptor, peerAddress: peer, origin: .accepted)
    }

    /// Where the peer's connection was going before the kernel redirected it to this listener
    /// (netfilter's REDIRECT), or the local address if it was not redirected, which includes
    /// connections delivered by TPROXY.
    public var originalDestination: SocketAddress {
        let local = localAddress
        return ask { SocketCalls.originalDestination(of: $0, family: local.family) } ?? local
    }

    /// The process at the other end of a Unix socket; nil for other sockets.
    public var peerCredentials: PeerCredentials? { ask(PeerCredentials.init(of:)) }
}

/// The process at the other end of a Unix socket, as it was when it connected.
public struct PeerCredentials: Sendable, Hashable {
    public let processID: Int32
    public let userID: UInt32
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
