/// The path of a gRPC call: `/package.Service/Method`.
public struct GRPCPath: Sendable, Hashable {
    /// The part between the first slash and the last.
    public let service: String
    /// The part after the last slash.
    public let method: String

    /// Splits the path of a request with a gRPC content type (`application/grpc…`); nil for other
    /// requests, and if the path does not have two slashes.
    public init?(path: String?, requestType: String?) {
        guard let path, let requestType, requestType.lowercased().hasPrefix("application/grpc"),
            path.utf8.first == UInt8(ascii: "/"),
            let last = path.utf8.lastIndex(of: UInt8(ascii: "/")), last > path.utf8.startIndex
        else { return nil }
        service = String(path[path.utf8.index(after: path.startIndex)..<last])
        method = String(path[path.utf8.index(after: last)...])
    }
}
