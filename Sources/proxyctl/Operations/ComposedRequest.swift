internal import ClientLib
internal import ProxydHTTPModel
internal import ProxydOperations

/// A request composed by the user, in the parts that the client library takes.
struct ComposedRequest {
    let method: HTTPMethod
    let url: RawURL
    let fields: HeaderFields
    let body: HTTPBody

    /// Throws if the request has no method or no URL.
    init(_ request: Request) throws {
        guard let head = request.head, let url = request.url else {
            throw CommandFailure("the request has no URL")
        }
        method = head.method
        self.url = url
        fields = head.fields
        body = request.body.kept.isEmpty ? .none : .bytes(request.body.kept)
    }

    /// The request as a new one, without an original.
    func whole(_ version: ReplayRoute.Version) -> HTTPRequest {
        var request = HTTPRequest(method: method, url: url, fields: fields, body: body)
        switch version {
        case .recorded: break
        case .http11: request.protocols = [.http11]
        case .http2: request.protocols = [.onlyHTTP2(scheme: url.scheme)]
        }
        return request
    }
}
