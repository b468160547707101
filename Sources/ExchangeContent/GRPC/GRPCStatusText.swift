public import ProxydCaptureModel
public import ProxydHTTPModel

/// The status of a gRPC call, formatted for display.
public enum GRPCStatusText {
    /// `5 NOT_FOUND: no such user`, or `none` if the call ended without a status; nil if the
    /// exchange is not a gRPC call or is still in progress. The message may contain control
    /// characters.
    public static func line(_ row: ExchangeRow, _ exchange: Exchange) -> String? {
        guard let number = row.grpcStatus else {
            let isOver = row.state != .active && row.spokenProtocol == .grpc
            return isOver ? "none" : nil
        }
        let status = GRPCStatus(Int64(number)).description
        guard let message = message(of: exchange), !message.isEmpty else { return status }
        return "\(status): \(message)"
    }

    /// The server's message for the status: from the trailer section, or from the head if there is
    /// none.
    private static func message(of exchange: Exchange) -> String? {
        let response = exchange.response
        let value = response?.trailers?["grpc-message"] ?? response?.head.fields["grpc-message"]
        return value.map(GRPCStatus.message)
    }
}
