/// A method in the path of a request: `/package.Service/Method` (gRPC's PROTOCOL-HTTP2.md).
public struct MethodName: Sendable, Hashable, CustomStringConvertible {
    /// The service, qualified by its package.
    public let service: String
    /// The name of the method.
    public let method: String

    /// Takes the last two segments of a path, which may have a prefix; a query is ignored. nil if
    /// there are fewer segments, or one is empty.
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
