public import ProxydHTTPModel

/// Decides what happens to the exchanges of a proxy, also within intercepted HTTPS.
///
/// Each call runs in a task of its own, not on the proxy's threads, and may take any time: its
/// exchange waits, others go on. If the exchange ends meanwhile, the task is cancelled and its
/// verdict ignored.
public protocol TrafficHandler: Sendable {
    /// Whether exchanges with a host, as the request names it, are handled. Others pass at no cost.
    /// Called on the proxy's threads: it must not block.
    func handles(host: String) -> Bool
    /// The head of a request has arrived. Changes to `request` apply if the request passes.
    func request(_ request: inout ProxiedRequest) async -> TrafficVerdict
    /// The head of the response has arrived; `request` is the request as it was sent.
    func response(
        _ response: inout ProxiedResponse, to request: ProxiedRequest
    ) async -> TrafficVerdict
}

extension TrafficHandler {
    /// Returns true for every host.
    public func handles(host: String) -> Bool { true }
    /// Lets every request pass.
    public func request(_ request: inout ProxiedRequest) async -> TrafficVerdict { .pass }
    /// Lets every response pass.
    public func response(
        _ response: inout ProxiedResponse, to request: ProxiedRequest
    ) async -> TrafficVerdict { .pass }
}

/// What happens to a request or a response.
public enum TrafficVerdict: Sendable {
    /// It is forwarded with its changes; if its body was not read, it streams.
    case pass
    /// The same method is called again when the whole body has arrived, or is larger than this many
    /// bytes. At the second call, this is `pass`.
    case readBody(byteCountMax: Int)
    /// The client gets this response instead.
    case answer(ProxiedResponse)
    /// The client's connection is closed without a response.
    case close
}

/// The body of a message, without transfer coding but with content coding, such as gzip.
public enum ProxiedBody: Sendable, Hashable {
    /// It is still arriving.
    case unread
    /// All of it. A handler that has read it may set another one, whose length the proxy declares.
    case whole([UInt8])
    /// It is larger than was asked for, or memory is short; it is forwarded as it comes.
    case tooLarge

    /// The whole body; nil if it was not read.
    public var bytes: [UInt8]? { if case .whole(let bytes) = self { bytes } else { nil } }
}

/// A request on its way to a server.
public struct ProxiedRequest: Sendable {
    /// The number of the exchange, as in `Exchange.id`.
    public let id: ExchangeID
    /// The client's IP address.
    public let clientAddress: String
    public var method: HTTPMethod
    /// The URL. With another host or port, the request goes to that server.
    public var url: RawURL
    /// The fields, as they arrived. Those that describe the connection or the length are replaced.
    public var fields: HeaderFields
    public var body: ProxiedBody
}

/// A response on its way to the client.
public struct ProxiedResponse: Sendable {
    /// The status code, 200…599.
    public var status: Int
    /// The fields, as they arrived. Those that describe the connection or the length are replaced.
    public var fields: HeaderFields
    public var body: ProxiedBody

    /// Creates a response for `TrafficVerdict.answer`.
    public init(status: Int, fields: HeaderFields = HeaderFields(), body: [UInt8] = []) {
        self.init(status: status, fields: fields, body: .whole(body))
    }

    init(status: Int, fields: HeaderFields, body: ProxiedBody) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
