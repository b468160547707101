/// The protocol of an exchange, by its most specific name.
public enum ExchangeProtocol: String, Sendable, Hashable, CaseIterable {
    /// HTTP/1.0 or HTTP/1.1.
    case http1 = "h1"
    /// HTTP/2 over TLS.
    case http2 = "h2"
    /// HTTP/2 without TLS.
    case http2Clear = "h2c"
    /// HTTP/3.
    case http3 = "h3"
    /// WebSocket (RFC 6455, RFC 8441).
    case webSocket = "ws"
    /// gRPC.
    case grpc
    /// gRPC-Web.
    case grpcWeb = "grpcweb"
    /// Server-sent events.
    case eventStream = "sse"
    /// Bytes that were relayed unread.
    case tunnel
}

extension ExchangeProtocol {
    /// Whether such exchanges contain messages in addition to a request and a response.
    public var hasMessages: Bool {
        switch self {
        case .webSocket, .grpc, .grpcWeb, .eventStream: true
        case .http1, .http2, .http2Clear, .http3, .tunnel: false
        }
    }

    /// Determines the protocol from the known properties of an exchange; nil if they are not
    /// sufficient.
    public init?(
        state: ExchangeState, upgradedTo: String?, requestType: String?, responseType: String?,
        version: HTTPVersion?, scheme: String?
    ) {
        let request = (requestType ?? "").lowercased()
        if state == .tunnel {
            self = .tunnel
        } else if upgradedTo == "websocket" {
            self = .webSocket
        } else if request.hasPrefix("application/grpc-web") {
            self = .grpcWeb
        } else if request.hasPrefix("application/grpc") {
            self = .grpc
        } else if (responseType ?? "").lowercased().hasPrefix("text/event-stream") {
            self = .eventStream
        } else if let version {
            switch version {
            case .http3: self = .http3
            case .http2: self = scheme == "http" ? .http2Clear : .http2
            default: self = .http1
            }
        } else {
            return nil
        }
    }
}
