public import ProxydHTTPModel
public import ProxydHTTPWire

/// One request ready to be sent: the bytes of its head, and how the body is sent.
public struct TransportRequest: Sendable {
    /// The body after the head.
    public enum Payload: Sendable {
        /// No body.
        case none
        /// Bytes in memory.
        case bytes([UInt8])
        /// A stream that the body is read from.
        case stream(BodyStream)
    }

    /// The URL that the request is sent to.
    public var url: RawURL
    /// The head, which is sent byte for byte.
    public var head: RequestHead
    /// The protocols that may be used with the server, in order of preference.
    public var protocols: [HTTPProtocol] = [.http2, .http11]
    /// Whether HTTP/2 frames are recorded for the report.
    public var notesFrames = false
    /// How the body is framed, which must match the head.
    public var framing: BodyLength
    /// The source of the body.
    public var payload: Payload
    /// Fields after a chunked body, or nil for none.
    public var trailers: HeaderFields?
    /// The time limit for DNS lookup, connecting and TLS together, in nanoseconds.
    public var connectTimeoutNs: Int64
    /// The time without traffic after which the call fails, in nanoseconds.
    public var idleTimeoutNs: Int64
    /// With `Expect: 100-continue`, how long the body waits for the server, in nanoseconds. Nil if
    /// the body follows the head immediately.
    public var continueTimeoutNs: Int64?
    /// The deadline for the whole request on the monotonic clock, in nanoseconds; nil for no limit.
    public var deadlineNs: Int64?
    /// `head()` may wait until this many bytes of the body have arrived too, or all of it: a short
    /// response then wakes its task only once. 0 if the head is needed as soon as it arrives.
    public var eagerByteCount: Int
    /// The timeline, which starts with the attempt.
    public var timeline: Timeline
    /// The protocol in lower case that the head asks the server to switch to (RFC 9110 §7.8), or
    /// nil if a switch would be an error.
    public var upgrade: String?
    /// Whether an HTTP proxy must create a tunnel for the request even without TLS.
    public var wantsTunnel = false
    /// The recorded exchange that the request repeats, or nil for none.
    public var replayOf: ExchangeID?
    /// Called with the number of body bytes passed on so far; on any thread.
    public var onSent: (@Sendable (Int64) -> Void)?

    /// Creates a request from its parts.
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
