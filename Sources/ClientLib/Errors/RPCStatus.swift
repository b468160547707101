public import ProxydHTTPModel

/// How a call of gRPC ended, as its trailers say it.
public struct RPCStatus: Sendable, Hashable {
    /// What `grpc-status` says; 0 for OK.
    public var code: GRPCStatus
    /// The value of `grpc-message`, percent-decoded; empty if the server sent none. It comes from
    /// the server and may hold anything.
    public var message: String

    /// A status.
    public init(_ code: GRPCStatus, message: String = "") {
        self.code = code
        self.message = message
    }

    /// Whether the call did what it was to do.
    public var isOK: Bool { code.number == 0 }

    /// What trailers say; nil where they hold no status, or one that is no number.
    init?(_ fields: HeaderFields) {
        guard let text = fields["grpc-status"], let number = Int64(text) else { return nil }
        self.init(
            GRPCStatus(number),
            message: fields["grpc-message"].map(GRPCStatus.message) ?? "")
    }
}
