public import ProxydHTTPModel

extension ExchangeRow {
    /// The request's version; nil where it could not be read.
    public var version: HTTPVersion? { httpVersion.flatMap(HTTPVersion.init(description:)) }

    /// What it spoke; nil where that is not known.
    public var spokenProtocol: ExchangeProtocol? {
        ExchangeProtocol(
            state: state, upgradedTo: upgradedTo, requestType: requestContentType,
            responseType: responseContentType,
            version: version, scheme: scheme)
    }
}
