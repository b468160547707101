internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

extension ExchangeFailure {
    /// The connection that carried the exchange has ended.
    static func http2(_ failure: HTTP2LinkFailure) -> ExchangeFailure {
        switch failure {
        case .ended: .closedEarly
        case .lost(let error): .connectionBroke(error)
        case .broken(let error):
            ExchangeFailure(
                origin: .upstream, kind: .malformedResponse,
                message: "the server violated HTTP/2: \(error.message)")
        }
    }

    /// The server reset the stream.
    static func streamReset(_ code: HTTP2ErrorCode) -> ExchangeFailure {
        ExchangeFailure(
            origin: .upstream, kind: .closedEarly, message: "the server reset the stream: \(code)")
    }
}
