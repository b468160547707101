internal import ProxydHTTPWire
internal import ProxydParameterCoding
internal import ProxydHTTPModel

/// An error of a request, sent as `application/problem+json` (RFC 9457).
public struct WebProblem: Error, Sendable, Hashable {
    /// The status code.
    public let status: Int
    /// What went wrong, for the user.
    public let detail: String
    /// The column of a filter that is wrong, from 1; nil for other errors.
    public let column: Int?
    /// The methods that a 405 allows.
    let allowed: [String]

    /// Creates a problem.
    public init(_ status: Int, _ detail: String, column: Int? = nil) {
        self.init(status, detail, column: column, allowed: [])
    }

    init(_ status: Int, _ detail: String, column: Int? = nil, allowed: [String]) {
        self.status = status
        self.detail = detail
        self.column = column
        self.allowed = allowed
    }

    /// The problem as a response.
    public var response: WebResponse {
        var members: [JSONValue.Member] = [
            .init(name: "type", value: .string("about:blank")),
            .init(name: "title", value: .string(StatusReason.text(of: status))),
            .init(name: "status", value: .number(String(status))),
            .init(name: "detail", value: .string(detail)),
        ]
        if let column { members.append(.init(name: "column", value: .number(String(column)))) }
        let body = (try? JSONWriter().write(.object(members))) ?? []
        var response = WebResponse(status: status, type: "application/problem+json", body)
        if !allowed.isEmpty {
            response.fields.append(("Allow", allowed.joined(separator: ", ")))
        }
        if status == 401 { response.fields.append(("WWW-Authenticate", "Bearer")) }
        if status == 429 || status == 503 { response.fields.append(("Retry-After", "1")) }
        return response
    }
}
