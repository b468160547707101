internal import ProxydHTTPModel

/// The status of a gRPC call, which the server sends in the trailer section, or in the head of a
/// response without one ("Trailers-Only").
enum GRPCStatusField {
    /// The status code, or nil if none was sent or it is not a number.
    static func number(in update: borrowing ExchangeUpdate) -> Int64? {
        if let trailers = update.responseTrailers, let number = number(in: trailers) {
            return number
        }
        guard let fields = update.responseHead?.fields, isGRPC(fields) else { return nil }
        return number(in: fields)
    }

    private static func isGRPC(_ fields: HeaderFields) -> Bool {
        guard let line = fields.first(.contentType) else { return false }
        let value = fields.bytes.span.extracting(line.valueRange)
        let prefix: StaticString = "application/grpc"
        guard value.count >= prefix.utf8CodeUnitCount else { return false }
        return ASCII.equalsIgnoringCase(
            value.extracting(0..<prefix.utf8CodeUnitCount), prefix)
    }

    private static func number(in fields: HeaderFields) -> Int64? {
        fields.pairs.last { $0.name.lowercased() == "grpc-status" }.flatMap { Int64($0.value) }
    }
}
