internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Requests made from the parts that a session's methods take.
extension HTTPRequest {
    static func of(
        _ url: some URLConvertible, _ method: HTTPMethod, _ headers: HeaderFields?,
        body: HTTPBody = .none, _ modifier: Session.RequestModifier?
    ) throws -> HTTPRequest {
        var request = HTTPRequest(
            method: method, url: try url.asURL(), fields: headers ?? HeaderFields(), body: body)
        try modifier?(&request)
        return request
    }
}
