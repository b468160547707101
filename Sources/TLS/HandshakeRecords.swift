/// Takes a first handshake message out of the records that carry it (RFC 8446 §5.1).
struct HandshakeRecords {
    /// What came of it.
    enum Result {
        case needMore
        case malformed
        /// The body of a client hello, without its header.
        case message([UInt8])
    }

    private static let recordHeaderByteCount = 5
    private static let messageHeaderByteCount = 4
    private static let recordByteCountMax = 16_384
    private static let messageByteCountMax = 65_536
    private static let handshakeRecord: UInt8 = 22
    private static let clientHello: UInt8 = 1

    private var message: [UInt8] = []

    /// Gathers the message from `bytes`, which begin at a record.
    mutating func gather(_ bytes: Span<UInt8>) -> Result {
        var offset = 0
        while offset < bytes.count {
            guard isPlausibleHeader(bytes, at: offset) else { return .malformed }
            let body = offset + Self.recordHeaderByteCount
            guard body <= bytes.count else { return .needMore }
            let count = Int(bytes[offset + 3]) << 8 | Int(bytes[offset + 4])
            guard (1...Self.recordByteCountMax).contains(count) else { return .malformed }
            let end = min(body + count, bytes.count)
            for index in body..<end { message.append(bytes[index]) }
            if let result = messageResult() { return result }
            offset = body + count
        }
        return .needMore
    }

    /// Checks the octets of a record header that are there. The minor version is not looked at, as
    /// RFC 8446 §5.1 asks.
    private func isPlausibleHeader(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        guard bytes[offset] == Self.handshakeRecord else { return false }
        if offset + 1 < bytes.count, bytes[offset + 1] != 3 { return false }
        return true
    }

    /// nil while the message is not whole and may still become a hello.
    private mutating func messageResult() -> Result? {
        guard let type = message.first else { return nil }
        guard type == Self.clientHello else { return .malformed }
        guard message.count >= Self.messageHeaderByteCount else { return nil }
        let count = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
        guard count <= Self.messageByteCountMax else { return .malformed }
        guard message.count >= Self.messageHeaderByteCount + count else { return nil }
        let body = Self.messageHeaderByteCount..<Self.messageHeaderByteCount + count
        return .message([UInt8](message[body]))
    }
}
