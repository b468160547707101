internal import ProxydCaptureModel
internal import ProxydInterchange
internal import ProxydParameterCoding

/// A page of an exchange's messages, like `messages --json`.
enum MessagesJSON {
    /// The most bytes of each message that are sent.
    static let byteCountMax = 64 << 10

    static func value(_ rows: [MessageRow], _ grpc: GRPCReading?, isFull: Bool) -> JSONValue {
        .members([
            ("messages", .array(rows.map { MessageJSON.value($0, grpc: grpc) })),
            ("next", .integer(isFull ? rows.last?.position : nil)),
            ("untrusted", .bool(true)),
        ])
    }
}
