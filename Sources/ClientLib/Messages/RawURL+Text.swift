public import ProxydHTTPModel

/// URLs from text: kept byte for byte, validated but never normalised or escaped.
extension RawURL {
    /// Parses an absolute http or https URL. A fragment is dropped because it is never sent (RFC
    /// 9110 §7.1). Path and query are kept as written.
    /// - Throws: `.invalidURL` with the reason.
    public init(_ text: String) throws(ClientError) {
        self = try URLText.parse(text)
    }
}

extension RawURL: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Creates a URL from a literal. If the literal is not a URL, requests to it fail with
    /// `.invalidURL`.
    public init(stringLiteral value: String) {
        do throws(ClientError) {
            self = try URLText.parse(value)
        } catch {
            self.init(scheme: "", host: "", port: 0, origin: Array(value.utf8))
        }
    }
}
