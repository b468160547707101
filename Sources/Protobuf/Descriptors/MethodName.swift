/// A method as a request's path names it: `/package.Service/Method` (gRPC's PROTOCOL-HTTP2.md).
public struct MethodName: Sendable, Hashable, CustomStringConvertible {
    /// The service with its package.
    public let service: String
    /// The method.
    public let method: String

    /// The last two parts of a path, which a server may have put behind others; a query does not
    /// count. Nil where there are fewer, or one is empty.
    public init?(path: String) {
        let parts = path.prefix { $0 != "?" }.split(
            separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, let method = parts.last, !method.isEmpty,
            let service = parts.dropLast().last, !service.isEmpty
        else { return nil }
        self.service = String(service)
        self.method = String(method)
    }

    /// `package.Service/Method`.
    public var description: String { "\(service)/\(method)" }
}
