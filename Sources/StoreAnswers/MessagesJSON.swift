package import ProxydCaptureModel
package import ProxydExchangeContent
internal import ProxydInterchange
package import ProxydParameterCoding

/// A page of an exchange's messages, like `messages --json`.
package enum MessagesJSON {
    /// The most bytes of each message that are sent.
    package static let byteCountMax = 64 << 10

    package static func value(
        _ rows: [MessageRow], _ grpc: GRPCReading?, isFull: Bool
    ) -> JSONValue {
        .members([
            ("messages", .array(rows.map { MessageJSON.value($0, grpc: grpc, withBytes: true) })),
            ("next", .integer(isFull ? rows.last?.position : nil)),
            ("untrusted", .bool(true)),
        ])
    }
}
