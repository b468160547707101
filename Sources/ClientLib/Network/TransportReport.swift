public import ProxydHTTPModel

/// What a transport can say of a call besides the response itself.
public struct TransportReport: Sendable {
    /// When what happened.
    public var timeline: Timeline
    /// Interim responses.
    public var informational: [ResponseHead] = []
    /// Fields behind the body; nil where there were none.
    public var trailers: HeaderFields?
    /// What was wrong with the response, where anything was: it was mended, or refused.
    public var responseFault: ResponseFault?
    /// The request's head as it was sent, where the connection speaks another version of HTTP than
    /// the head was written for.
    public var requestHead: RequestHead?
    /// What HTTP/2 adds; nil with HTTP/1.
    public var http2: HTTP2Facts?
    /// The frames that carried the call, as `FrameTimeline` has them, once it is over; empty where
    /// they were not noted.
    public var frames: [UInt8] = []
    /// The connection that carried the call; nil where none was made.
    public var connection: ConnectionRecord?
    /// Bytes of the request's body that were handed to the connection.
    public var sentByteCount: Int64 = 0
    /// The number under which the call is recorded; nil where it is not.
    public var exchangeID: ExchangeID?

    /// Nothing but when it began.
    public init(timeline: Timeline) { self.timeline = timeline }

    /// Whether a head agrees to another protocol, where one was asked for: 101, or over HTTP/2 any
    /// 2xx (RFC 8441 §5).
    func isSwitch(_ head: ResponseHead) -> Bool {
        http2 == nil ? head.status == 101 : 200..<300 ~= head.status
    }
}
