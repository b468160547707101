public import ProxydHTTPModel

extension ExchangeRow {
    /// The request's HTTP version, or nil if it could not be parsed.
    public var version: HTTPVersion? { httpVersion.flatMap(HTTPVersion.init(description:)) }

    /// The protocol of the exchange, or nil if it is unknown.
    public var spokenProtocol: ExchangeProtocol? {
        ExchangeProtocol(
            state: state, upgradedTo: upgradedTo, requestType: requestContentType,
            responseType: responseContentType,
            version: version, scheme: scheme)
    }
}
