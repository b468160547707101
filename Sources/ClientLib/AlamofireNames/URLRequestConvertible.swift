internal import ProxydHTTPModel

/// What a request can be made of, with the requirement under the name that Alamofire gives it.
public protocol URLRequestConvertible: RequestConvertible {
    /// The request.
    /// - Throws: why there is none.
    func asURLRequest() throws -> HTTPRequest
}

extension URLRequestConvertible {
    /// The request.
    public func asRequest() throws -> HTTPRequest { try asURLRequest() }
}

extension HTTPRequest: URLRequestConvertible {
    /// Itself.
    public func asURLRequest() throws -> HTTPRequest { self }
}
