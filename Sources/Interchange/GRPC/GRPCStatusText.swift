public import ProxydCaptureModel
public import ProxydHTTPModel

/// How a gRPC call ended, for a person.
public enum GRPCStatusText {
    /// `5 NOT_FOUND: no such user`, or `none` where a call ended without; nil where the exchange is
    /// no call or goes on. The message may hold control characters.
    public static func line(_ row: ExchangeRow, _ exchange: Exchange) -> String? {
        guard let number = row.grpcStatus else {
            let isOver = row.state != .active && row.spokenProtocol == .grpc
            return isOver ? "none" : nil
        }
        let status = GRPCStatus(Int64(number)).description
        guard let message = message(of: exchange), !message.isEmpty else { return status }
        return "\(status): \(message)"
    }

    /// What the server says behind the status: in the trailer section, or in the head where there
    /// is none.
    private static func message(of exchange: Exchange) -> String? {
        let response = exchange.response
        let value = response?.trailers?["grpc-message"] ?? response?.head.fields["grpc-message"]
        return value.map(GRPCStatus.message)
    }
}
