internal import ProxydHTTPModel
public import ProxydParameterCoding
public import ProxydPropertyLists

/// Adds parameters to a request; conform to it for your own format.
public protocol ParameterEncoding: Sendable {
    /// The request with the parameters, or the same request if there are none.
    func encode(_ request: HTTPRequest, with parameters: Parameter?) throws -> HTTPRequest
}

extension ParameterEncoding where Self: ParameterSerializing {
    /// The request with the parameters in its query or body.
    public func encode(
        _ request: HTTPRequest, with parameters: Parameter?
    ) throws -> HTTPRequest {
        request.carrying(try encode(parameters, method: request.method.rawValue))
    }
}

extension URLEncoding: ParameterEncoding {}
extension JSONEncoding: ParameterEncoding {}
extension PropertyListEncoding: ParameterEncoding {}
extension CompositeEncoding: ParameterEncoding {}

extension HTTPRequest {
    /// The request with encoded parameters: pairs are added to the query, a body replaces the
    /// existing one, a content type is set only if there is none, and warnings are added to
    /// `parameterWarnings`.
    public func carrying(_ encoded: EncodedParameters) -> HTTPRequest {
        var request = self
        if let query = encoded.query {
            request.url = RawURL(
                scheme: url.scheme, host: url.host, port: url.port,
                origin: URLQuery.joined(
                    url.origin, with: query, existing: encoded.existingQuery))
        }
        if let body = encoded.body { request.body = .bytes(body) }
        if let type = encoded.contentType, fields.first(.contentType) == nil {
            request.fields.append(name: "Content-Type", value: type)
        }
        request.parameterWarnings += encoded.warnings
        return request
    }
}
