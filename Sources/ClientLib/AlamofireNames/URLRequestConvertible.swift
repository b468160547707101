internal import ProxydHTTPModel

/// A type that can be converted to a request, with Alamofire's name for the requirement.
public protocol URLRequestConvertible: RequestConvertible {
    /// The value as a request.
    /// - Throws: why there is none.
    func asURLRequest() throws -> HTTPRequest
}

extension URLRequestConvertible {
    /// Calls `asURLRequest()`.
    public func asRequest() throws -> HTTPRequest { try asURLRequest() }
}

extension HTTPRequest: URLRequestConvertible {
    /// Returns the request itself.
    public func asURLRequest() throws -> HTTPRequest { self }
}
