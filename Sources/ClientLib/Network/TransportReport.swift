public import ProxydHTTPModel

/// The information about a call that is not part of the response itself.
public struct TransportReport: Sendable {
    /// When each step of the call happened.
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
    /// The connection that carried the call, or nil if there was none.
    public var connection: ConnectionRecord?
    /// The number of body bytes that were passed to the connection.
    public var sentByteCount: Int64 = 0
    /// The number of the recorded exchange, or nil if the call is not recorded.
    public var exchangeID: ExchangeID?

    /// Creates a report that contains only the timeline.
    public init(timeline: Timeline) { self.timeline = timeline }

    /// Whether a head accepts the requested protocol: 101, or any 2xx over HTTP/2 (RFC 8441 §5).
    func isSwitch(_ head: ResponseHead) -> Bool {
        http2 == nil ? head.status == 101 : 200..<300 ~= head.status
    }
}
