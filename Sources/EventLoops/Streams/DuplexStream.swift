/// A connection's two directions as bytes: over a socket, or over TLS. Confined to its loop.
///
/// Reading begins when a delegate is set. Writing never blocks and never fails at once: octets are
/// queued, failures come to the delegate.
public protocol DuplexStream: AnyObject {
    /// The loop it belongs to.
    var loop: EventLoop { get }
    /// Who is told what happens. Held strongly until the stream is closed or has failed; as long as
    /// there is one, stream and delegate live, even when nobody else refers to them.
    var delegate: (any DuplexStreamDelegate)? { get set }
    /// Octets written but not yet taken by the kernel.
    var queuedByteCount: Int { get }
    /// Whether the queue went above the high watermark and did not yet fall below the low one. A
    /// well-behaved writer stops while it is true, until `streamDidDrain`.
    var isCongested: Bool { get }
    /// The other end; the Unix placeholder for a Unix socket.
    var peerAddress: SocketAddress { get }
    /// Our end.
    var localAddress: SocketAddress { get }
    /// Whether the stream is neither closed nor failed.
    var isOpen: Bool { get }

    /// Writes octets. They are copied and sent at the end of the loop's dispatch; large ones are
    /// sent at once. Ignored after `shutdownWriting`, `close` and `abort`.
    func write(_ bytes: Span<UInt8>)
    /// Sends what is queued now.
    func flush()
    /// Stops the delivery of octets; the peer is slowed down by its kernel's window.
    func pauseReading()
    /// Goes on delivering.
    func resumeReading()
    /// While reading is paused: tells `streamPeerDidEnd`, once, when the peer has ended its
    /// direction or is gone. Over with `resumeReading`. Without effect where that is told anyway:
    /// where reading goes on, where a write is under way that will fail, and over HTTP/2.
    func watchForEnd()
    /// Looks, without waiting, what has come and was not delivered yet, and hands it to `take`
    /// instead of to the delegate; what TLS says to itself is processed and not handed over. False
    /// where the peer has ended, the stream broke or more comes than is looked at: it is then of no
    /// use any more.
    func takeArrived(_ take: (Span<UInt8>) -> Void) -> Bool
    /// Ends our direction when the queue is sent (FIN, with TLS behind close_notify); reading goes
    /// on.
    func shutdownWriting()
    /// Sends the queue, ends our direction, lets the peer read it all (what still comes is thrown
    /// away within `LingerLimits`, RFC 9112 §9.6), and closes. The delegate is dropped at once.
    func close()
    /// Closes at once with a reset; the queue is lost. The delegate is dropped at once.
    func abort()
}

extension DuplexStream {
    /// Writes an array.
    public func write(_ bytes: [UInt8]) { write(bytes.span) }

    /// Without effect.
    public func watchForEnd() {}
}

/// Limits of what a stream queues, in octets.
public enum StreamWatermarks {
    /// Above this the writer is asked to stop.
    public static let highByteCount = 256 * 1_024
    /// Below this it is asked to go on.
    public static let lowByteCount = 64 * 1_024
}
