internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Reads the status from the last message of a response.
enum CallStatus {
    /// The names that Connect uses for gRPC's codes, starting with 1 (connectrpc.com, "Error
    /// codes").
    private static let names = [
        "canceled", "unknown", "invalid_argument", "deadline_exceeded", "not_found",
        "already_exists", "permission_denied", "resource_exhausted", "failed_precondition",
        "aborted", "out_of_range", "unimplemented", "internal", "unavailable", "data_loss",
        "unauthenticated",
    ]

    /// Returns the status code, or nil if the message contains none.
    static func number(in trailers: [UInt8], _ framing: MessageFraming) -> Int64? {
        framing == .connect ? number(inEnd: trailers) : number(inLines: trailers)
    }

    /// gRPC-Web: field lines as in HTTP/1.
    private static func number(inLines trailers: [UInt8]) -> Int64? {
        for line in trailers.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) {
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2, ASCII.text(parts[0]).lowercased() == "grpc-status" else {
                continue
            }
            return Int64(ASCII.text(parts[1]).filter { $0 != " " && $0 != "\t" })
        }
        return nil
    }

    /// Connect: a JSON object; if it has no `error`, the call succeeded.
    private static func number(inEnd trailers: [UInt8]) -> Int64? {
        let reader = JSONReader(limits: JSONLimits(depthMax: 64))
        guard let end = try? reader.read(trailers), case .object = end else { return nil }
        guard let error = member("error", of: end), error != .null else { return 0 }
        guard case .string(let name)? = member("code", of: error) else { return 2 }
        return names.firstIndex(of: name).map { Int64($0) + 1 } ?? 2
    }

    private static func member(_ name: String, of value: JSONValue) -> JSONValue? {
        value.value(at: JSONValuePath([.member(name)]))
    }
}
