public import ProxydHTTPModel

/// URLs from text: kept byte for byte, checked but never normalised or escaped.
extension RawURL {
    /// Reads an absolute http or https URL. A fragment is dropped, as it is never sent
    /// (RFC 9110 §7.1). Path and query stay as they are written.
    /// - Throws: `.invalidURL` with what is wrong.
    public init(_ text: String) throws(ClientError) {
        self = try URLText.parse(text)
    }
}

extension RawURL: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// A URL from a literal. A literal that is no URL makes a URL that no request can be sent to:
    /// sending fails with `.invalidURL`.
    public init(stringLiteral value: String) {
        do throws(ClientError) {
            self = try URLText.parse(value)
        } catch {
            self.init(scheme: "", host: "", port: 0, origin: Array(value.utf8))
        }
    }
}
