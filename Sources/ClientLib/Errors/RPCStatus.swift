public import ProxydHTTPModel

/// The status that a gRPC call ended with, from its trailers.
public struct RPCStatus: Sendable, Hashable {
    /// The value of `grpc-status`; 0 for OK.
    public var code: GRPCStatus
    /// The value of `grpc-message`, percent-decoded, or empty if the server sent none. The server
    /// chooses the text, so it may contain anything.
    public var message: String

    /// Creates a status.
    public init(_ code: GRPCStatus, message: String = "") {
        self.code = code
        self.message = message
    }

    /// Whether the call succeeded.
    public var isOK: Bool { code.number == 0 }

    /// The status in trailers, or nil if they contain no status or one that is not a number.
    init?(_ fields: HeaderFields) {
        guard let text = fields["grpc-status"], let number = Int64(text) else { return nil }
        self.init(
            GRPCStatus(number),
            message: fields["grpc-message"].map(GRPCStatus.message) ?? "")
    }
}
