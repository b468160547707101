public import Foundation
public import ProxydHTTPModel

/// What a URL can be made of.
public protocol URLConvertible: Sendable {
    /// The URL.
    /// - Throws: `.invalidURL`.
    func asURL() throws(ClientError) -> RawURL
}

/// What a request can be made of; asked again for each retry.
public protocol RequestConvertible: Sendable {
    /// The request.
    /// - Throws: why there is none.
    func asRequest() throws -> HTTPRequest
}

extension RawURL: URLConvertible {
    /// Itself.
    public func asURL() throws(ClientError) -> RawURL { self }
}

extension String: URLConvertible {
    /// The URL that the text is, byte for byte.
    public func asURL() throws(ClientError) -> RawURL { try RawURL(self) }
}

extension URL: URLConvertible {
    /// The URL as Foundation spells it.
    public func asURL() throws(ClientError) -> RawURL { try RawURL(absoluteString) }
}

extension URLComponents: URLConvertible {
    /// The URL as Foundation spells it.
    public func asURL() throws(ClientError) -> RawURL {
        guard let string else { throw ClientError(.invalidURL(.notAbsolute)) }
        return try RawURL(string)
    }
}

extension HTTPRequest: RequestConvertible {
    /// Itself.
    public func asRequest() throws -> HTTPRequest { self }
}
