public import ProxydHTTPModel

extension ExchangeRow {
    /// What it spoke; nil where that is not known.
    public var spokenProtocol: ExchangeProtocol? {
        ExchangeProtocol(
            state: state, upgradedTo: upgradedTo, requestType: requestContentType,
            responseType: responseContentType,
            version: httpVersion.map { $0 == "\(HTTPVersion.http2)" ? .http2 : .http11 },
            scheme: scheme)
    }
}
