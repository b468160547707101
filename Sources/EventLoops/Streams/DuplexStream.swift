/// The bytes of a connection in both directions, over a socket or over TLS. Confined to its loop.
///
/// Reading starts when a delegate is set. Writing never blocks and never fails immediately: bytes
/// are queued, and failures are reported to the delegate.
public protocol DuplexStream: AnyObject {
    /// The loop it belongs to.
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
    /// The local address.
    var localAddress: SocketAddress { get }
    /// Whether the stream is neither closed nor failed.
    var isOpen: Bool { get }

    /// Writes bytes. They are copied and sent at the end of the loop's dispatch; large ones are
    /// sent immediately. Ignored after `shutdownWriting`, `close` and `abort`.
    func write(_ bytes: Span<UInt8>)
    /// Sends what is queued now.
    func flush()
    /// Stops the delivery of bytes; the kernel's receive window then slows the peer down.
    func pauseReading()
    /// Resumes delivery.
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
    /// Writes an array.
    public func write(_ bytes: [UInt8]) { write(bytes.span) }

    /// Does nothing.
    public func watchForEnd() {}
}

/// The limits of a stream's write queue, in bytes.
public enum StreamWatermarks {
    /// Above this size the writer should stop.
    public static let highByteCount = 256 * 1_024
    /// Below this size the writer may continue.
    public static let lowByteCount = 64 * 1_024
}
