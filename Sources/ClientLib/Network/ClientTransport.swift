public import ProxydHTTPModel
public import ProxydHTTPWire

/// Sends requests and receives responses: the interface that the network, stubs and recorders
/// implement.
///
/// A transport knows nothing of retries, redirects, cookies or sessions: it sends one head and one
/// body, and returns one response.
public protocol ClientTransport: Sendable {
    /// Starts sending a request. Never blocks; the call reports errors.
    func start(_ request: TransportRequest) -> any TransportCall
    /// Ends all calls and closes all connections. Called once, when nothing more is started.
    func shutdown()
}

/// One request in progress and its response. Only one task at a time may use it, in this order:
/// `head()`, then `next(atLeast:)` until it returns nil or throws.
public protocol TransportCall: AnyObject, Sendable {
    /// Waits for the final response's head.
    func head() async throws(ClientError) -> ResponseHead
    /// Waits for bytes of the body, without transfer coding: at least the requested number, fewer
    /// only at the end or when a buffer is full. Nil after the last. While no task asks, little
    /// more is read from the server.
    func next(atLeast byteCount: Int) async throws(ClientError) -> [UInt8]?
    /// What is known so far; final once `next` has returned nil or a method has thrown.
    var report: TransportReport { get }
    /// Sends bytes in one piece to a server that has switched protocols, and waits until there is
    /// room for more. Call it only after the head has arrived; pieces are sent in the order of the
    /// calls.
    /// - Throws: `.unsupported` if there was no switch, or why the connection ended.
    func send(_ bytes: [UInt8]) async throws(ClientError)
    /// The same for short, infrequent messages: does not wait, and reports no errors.
    func post(_ bytes: [UInt8])
    /// Ends a connection that has switched protocols, after sending what was passed on. The call is
    /// then complete.
    func close()
    /// Cancels the call; waiting tasks get `.explicitlyCancelled`. Has no effect if the response is
    /// complete. May be called on any thread.
    func cancel()
}

extension TransportCall {
    /// The default for calls that do not support switching protocols.
    /// - Throws: `.unsupported`.
    public func send(_ bytes: [UInt8]) async throws(ClientError) {
        throw ClientError(
            .unsupported, phase: .send, message: "the transport does not switch protocols")
    }

    public func post(_ bytes: [UInt8]) {}

    public func close() { cancel() }
}

/// One request ready to be sent: the bytes of its head, and how the body is sent.
public struct TransportRequest: Sendable {
    public enum Payload: Sendable {
        case none
        case bytes([UInt8])
        case stream(BodyStream)
    }

    public var url: RawURL
    /// The head, which is sent byte for byte.
    public var head: RequestHead
    /// The protocols that may be used with the server, in order of preference.
    public var protocols: [HTTPProtocol] = [.http2, .http11]
    /// Whether HTTP/2 frames are recorded for the report.
    public var notesFrames = false
    /// How the body is framed, which must match the head.
    public var framing: BodyLength
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

/// The information about a call that is not part of the response itself.
public struct TransportReport: Sendable {
    public var timeline: Timeline
    /// The interim (1xx) responses.
    public var informational: [ResponseHead] = []
    /// The fields after the body, or nil if there were none.
    public var trailers: HeaderFields?
    /// The fault of a response that was repaired or rejected, or nil if it had none.
    public var responseFault: ResponseFault?
    /// The request's head as it was sent, if the connection uses another version of HTTP than the
    /// one it was written for.
    public var requestHead: RequestHead?
    /// The details of HTTP/2, or nil for HTTP/1.
    public var http2: HTTP2Facts?
    /// The frames that carried the call, in the format of `FrameTimeline`, once the call has ended;
    /// empty if they were not recorded.
    public var frames: [UInt8] = []
    public var connection: ConnectionRecord?
    /// The number of body bytes that were passed to the connection.
    public var sentByteCount: Int64 = 0
    /// The number of the recorded exchange, or nil if the call is not recorded.
    public var exchangeID: ExchangeID?

    public init(timeline: Timeline) { self.timeline = timeline }

    /// Whether a head accepts the requested protocol: 101, or any 2xx over HTTP/2 (RFC 8441 §5).
    func isSwitch(_ head: ResponseHead) -> Bool {
        http2 == nil ? head.status == 101 : 200..<300 ~= head.status
    }
}
