/// A path as gRPC calls a method: `/package.Service/Method`.
public struct GRPCPath: Sendable, Hashable {
    /// What stands between the first slash and the last.
    public let service: String
    /// What stands behind the last slash.
    public let method: String

    /// The parts of the path of a request that says it is gRPC (`application/grpc…`); nil for
    /// others, and where there are no two slashes.
    public init?(path: String?, requestType: String?) {
        guard let path, let requestType, requestType.lowercased().hasPrefix("application/grpc"),
            path.utf8.first == UInt8(ascii: "/"),
            let last = path.utf8.lastIndex(of: UInt8(ascii: "/")), last > path.utf8.startIndex
        else { return nil }
        service = String(path[path.utf8.index(after: path.startIndex)..<last])
        method = String(path[path.utf8.index(after: last)...])
    }
}
