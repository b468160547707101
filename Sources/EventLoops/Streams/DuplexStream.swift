internal import Glibc

/// The bytes of a connection in both directions, over a socket or over TLS. Confined to its loop.
///
/// Reading starts when a delegate is set. Writing never blocks and never fails immediately: bytes
/// are queued, and failures are reported to the delegate.
public protocol DuplexStream: AnyObject {
    var loop: EventLoop { get }
    /// Receives the stream's events. Retained until the stream is closed or has failed; as long as
    /// there is a delegate, it and the stream stay alive, even without any other reference.
    var delegate: (any DuplexStreamDelegate)? { get set }
    /// The number of bytes written but not yet taken by the kernel.
    var queuedByteCount: Int { get }
    /// Whether the queue rose above the high watermark and has not yet fallen below the low one. A
    /// well-behaved writer stops while it is true, until `streamDidDrain`.
    var isCongested: Bool { get }
    /// The remote address; `SocketAddress.unix` for a Unix socket.
    var peerAddress: SocketAddress { get }
    var localAddress: SocketAddress { get }
    /// Whether the stream is neither closed nor failed.
    var isOpen: Bool { get }

    /// Writes bytes. They are copied and sent at the end of the loop's dispatch; large ones are
    /// sent immediately. Ignored after `shutdownWriting`, `close` and `abort`.
    func write(_ bytes: Span<UInt8>)
    func flush()
    /// Stops the delivery of bytes; the kernel's receive window then slows the peer down.
    func pauseReading()
    func resumeReading()
    /// While reading is paused, calls `streamPeerDidEnd` once when the peer has ended its direction
    /// or is gone. Stopped by `resumeReading`. Does nothing where the end is reported anyway: while
    /// reading is not paused, while a pending write will fail, and over HTTP/2.
    func watchForEnd()
    /// Passes bytes that have arrived and were not delivered yet to `take` instead of the delegate,
    /// without waiting; messages of TLS itself are processed and not passed on. Returns false if
    /// the peer has ended, the stream broke, or more has arrived than is examined; the stream
    /// cannot be used then.
    func takeArrived(_ take: (Span<UInt8>) -> Void) -> Bool
    /// Acknowledges now what has been read, instead of with the next bytes that are sent. A peer
    /// that writes a message in two pieces, with Nagle's algorithm, would send the second one 40 ms
    /// later (RFC 9293 §3.7.4, §3.8.6.3).
    func acknowledge()
    /// Ends our direction once the queue has been sent (FIN, over TLS after close_notify); reading
    /// continues.
    func shutdownWriting()
    /// Sends the queue, ends our direction, lets the peer read all of it (bytes that still arrive
    /// are dropped within `LingerLimits`, RFC 9112 §9.6), and closes. The delegate is released
    /// immediately.
    func close()
    /// Closes immediately with a reset; the queue is lost. The delegate is released immediately.
    func abort()
}

extension DuplexStream {
    public func write(_ bytes: [UInt8]) { write(bytes.span) }

    public func watchForEnd() {}
}

/// The limits of a stream's write queue, in bytes.
public enum StreamWatermarks {
    /// Above this size the writer should stop.
    public static let highByteCount = 256 * 1_024
    /// Below this size the writer may continue.
    public static let lowByteCount = 64 * 1_024
}

/// A message of which not everything has arrived.
public struct ArrivingMessage {
    /// What is longer is sent in full segments, which are acknowledged as they come.
    private static let byteCountMax = 64 << 10

    private var byteCount = 0

    public init() {}

    /// A read has ended within the message: if the socket is empty, its sender may wait for an
    /// acknowledgement before it sends the rest.
    public mutating func acknowledgeIfCut(after readByteCount: Int, on stream: any DuplexStream) {
        byteCount &+= readByteCount
        let isSocketEmpty = readByteCount < EventLoop.readBufferByteCount
        if isSocketEmpty, byteCount < ArrivingMessage.byteCountMax { stream.acknowledge() }
    }
}

/// The owner of a stream. Called on the stream's loop, never from within one of the stream's own
/// members, and never after `close()` or `abort()`. It may do anything to the stream when called.
public protocol DuplexStreamDelegate: AnyObject {
    /// Bytes arrived. The span is valid only during the call.
    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>)

    /// The peer will send no more; writing is still possible. `isClean` is false if a TLS peer
    /// ended without close_notify, so that an attacker may have truncated the connection.
    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool)

    /// The peer has ended its direction, or is gone, while reading is paused; called after
    /// `watchForEnd`. The bytes that it sent before can still be read, and the end is reported
    /// again after them.
    func streamPeerDidEnd(_ stream: any DuplexStream)

    /// The queue, having been above the high watermark, fell below the low one: write on.
    func streamDidDrain(_ stream: any DuplexStream)

    /// The stream failed. It is already closed, and this is its last call.
    func stream(_ stream: any DuplexStream, didFail error: StreamError)
}

extension DuplexStreamDelegate {
    /// Does nothing: the end is reported again when it is read.
    public func streamPeerDidEnd(_ stream: any DuplexStream) {}
}

/// Why a stream, a listener or a connection attempt failed.
public struct StreamError: Error, Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        /// The peer reset the connection, or closed it while we were still sending.
        case reset
        /// No one listens at the address.
        case refused
        case timedOut
        case unreachable
        /// The system has no descriptors, memory or ports left.
        case exhausted
        case addressInUse
        case notPermitted
        /// TLS failed; see the message.
        case security
        /// Any other error; see `errorNumber`.
        case other
    }

    public let kind: Kind
    /// The system's errno; 0 if the system did not report the failure.
    public let errorNumber: Int32
    /// A one-line message for the user.
    public let message: String

    public init(kind: Kind, message: String, errorNumber: Int32 = 0) {
        self.kind = kind
        self.message = message
        self.errorNumber = errorNumber
    }

    public init(errorNumber: Int32) {
        self.errorNumber = errorNumber
        kind = StreamError.kind(of: errorNumber)
        message = String(cString: strerror(errorNumber))
    }

    private static func kind(of errorNumber: Int32) -> Kind {
        switch errorNumber {
        case ECONNRESET, EPIPE, ECONNABORTED: .reset
        case ECONNREFUSED: .refused
        case ETIMEDOUT: .timedOut
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EAFNOSUPPORT: .unreachable
        case EMFILE, ENFILE, ENOBUFS, ENOMEM, EAGAIN: .exhausted
        case EADDRINUSE, EADDRNOTAVAIL: .addressInUse
        case EACCES, EPERM: .notPermitted
        default: .other
        }
    }
}

extension StreamError: CustomStringConvertible {
    public var description: String { message }
}

/// How long a closed connection keeps reading what its peer still sends, so that the peer, which
/// may write everything before it reads, gets our last bytes and no reset (RFC 9112 §9.6).
public struct LingerLimits: Sendable, Hashable {
    /// In total, in nanoseconds. Any amount of bytes that arrives in this time is dropped.
    public var totalNs: Int64 = 30_000_000_000
    /// Without a byte from the peer, in nanoseconds.
    public var silenceNs: Int64 = 5_000_000_000
    /// The maximum number of lingering connections per loop; one more closes the oldest one, and an
    /// accepted connection only if no outgoing one lingers.
    public var connectionCountMax = 128

    public init() {}
}

/// The lingering streams of one loop, the oldest first.
///
/// Outgoing connections are dropped first: hundreds of idle server connections may be closed at the
/// same time, while an accepted client may still have to read why its upload was refused.
struct LingeringStreams {
    private var opened: [SocketStream] = []
    private var accepted: [SocketStream] = []

    /// Adds a stream; returns the stream to close if there are too many. That may be the new one.
    mutating func add(_ stream: SocketStream, countMax: Int) -> SocketStream? {
        switch stream.origin {
        case .opened: opened.append(stream)
        case .accepted: accepted.append(stream)
        }
        guard opened.count + accepted.count > max(1, countMax) else { return nil }
        return opened.isEmpty ? accepted.removeFirst() : opened.removeFirst()
    }

    mutating func remove(_ stream: SocketStream) {
        switch stream.origin {
        case .opened: opened.removeAll { $0 === stream }
        case .accepted: accepted.removeAll { $0 === stream }
        }
    }
}
