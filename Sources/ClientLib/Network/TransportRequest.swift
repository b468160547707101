public import ProxydHTTPModel
public import ProxydHTTPWire

/// One request as it leaves: bytes of the head, and how the body goes.
public struct TransportRequest: Sendable {
    /// What follows the head.
    public enum Payload: Sendable {
        /// Nothing.
        case none
        /// Bytes in memory.
        case octets([UInt8])
        /// Bytes to be pulled.
        case stream(BodyStream)
    }

    /// Where it goes.
    public var url: RawURL
    /// The head, byte for byte.
    public var head: RequestHead
    /// What is spoken with the server, most wanted first.
    public var protocols: [HTTPProtocol] = [.http2, .http11]
    /// Whether frames of HTTP/2 are noted for the report.
    public var notesFrames = false
    /// How the body is framed; the head says the same.
    public var framing: BodyLength
    /// The body.
    public var payload: Payload
    /// Fields behind a chunked body; nil for none.
    public var trailers: HeaderFields?
    /// Nanoseconds that look-up, connecting and TLS may take together.
    public var connectTimeoutNs: Int64
    /// Nanoseconds of silence after which the call fails.
    public var idleTimeoutNs: Int64
    /// The head says `Expect: 100-continue`: nanoseconds that the body waits for the server to want
    /// it. Nil where the body follows the head at once.
    public var continueTimeoutNs: Int64?
    /// When everything must be over, on the monotonic clock; nil for no limit.
    public var deadlineNs: Int64?
    /// `head()` may wait until as many bytes of the body have come too, or all: a short response
    /// then wakes its task once. 0 where the head is wanted as soon as it is there.
    public var eagerByteCount: Int
    /// When the attempt began.
    public var timeline: Timeline
    /// The protocol, in lower case, that the head asks the server to switch to (RFC 9110 §7.8);
    /// nil where a switch would be a fault.
    public var upgrade: String?
    /// Whether an HTTP proxy has to make a tunnel for it, also where there is no TLS.
    public var wantsTunnel = false
    /// The recorded exchange that the request repeats; nil for none.
    public var replayOf: ExchangeID?
    /// Told how many bytes of the body were handed over so far; on any thread.
    public var onSent: (@Sendable (Int64) -> Void)?

    /// A request.
    public init(
        url: RawURL, head: RequestHead, framing: BodyLength, payload: Payload = .none,
        timeline: Timeline
    ) {
        self.url = url
        self.head = head
        self.framing = framing
        self.payload = payload
        self.timeline = timeline
        connectTimeoutNs = 10_000_000_000
        idleTimeoutNs = 60_000_000_000
        eagerByteCount = 0
    }
}
