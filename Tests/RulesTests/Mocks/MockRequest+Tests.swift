import ProxydHTTPModel
import ProxydRules

extension MockRequest {
    /// A request to a URL of the form `http://host/origin`.
    static func of(
        _ method: String, _ url: String, type: String? = nil, body: String = "",
        headers: [String: String] = [:]
    ) -> MockRequest {
        let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        let rest = parts[2].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let authority = rest[0].split(separator: ":")
        let scheme = String(parts[0].dropLast())
        var fields = HeaderFields(headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        if let type { fields.append(name: "Content-Type", value: type) }
        return MockRequest(
            method: HTTPMethod(rawValue: method),
            url: RawURL(
                scheme: scheme, host: String(authority[0]),
                port: authority.dropFirst().first.flatMap { UInt16($0) }
                    ?? RawURL.defaultPort(scheme: scheme),
                origin: Array("/\(rest.dropFirst().first ?? "")".utf8)),
            fields: fields, body: Array(body.utf8))
    }
}
