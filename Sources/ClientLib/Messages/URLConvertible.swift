public import FoundationEssentials
public import ProxydHTTPModel

/// A type that can be converted to a URL.
public protocol URLConvertible: Sendable {
    /// The value as a URL.
    /// - Throws: `.invalidURL`.
    func asURL() throws(ClientError) -> RawURL
}

/// A type that can be converted to a request; the conversion runs again for each retry.
public protocol RequestConvertible: Sendable {
    /// The value as a request.
    /// - Throws: why there is none.
    func asRequest() throws -> HTTPRequest
}

extension RawURL: URLConvertible {
    /// Returns the URL itself.
    public func asURL() throws(ClientError) -> RawURL { self }
}

extension String: URLConvertible {
    /// Parses the text as a URL, keeping it byte for byte.
    public func asURL() throws(ClientError) -> RawURL { try RawURL(self) }
}

extension URL: URLConvertible {
    /// The URL as Foundation writes it.
    public func asURL() throws(ClientError) -> RawURL { try RawURL(absoluteString) }
}

extension URLComponents: URLConvertible {
    /// The URL as Foundation writes it.
    public func asURL() throws(ClientError) -> RawURL {
        guard let string else { throw ClientError(.invalidURL(.notAbsolute)) }
        return try RawURL(string)
    }
}

extension HTTPRequest: RequestConvertible {
    /// Returns the request itself.
    public func asRequest() throws -> HTTPRequest { self }
}
