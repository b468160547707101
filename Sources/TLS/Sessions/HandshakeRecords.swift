/// Extracts the first handshake message from a stream of records (RFC 8446 §5.1). The limits are
/// OpenSSL's: it accepts what OpenSSL accepts.
struct HandshakeRecords {
    /// What came of it.
    enum Result {
        case needMore
        /// Nothing that begins like a client's hello.
        case notTLS
        /// The beginning of a hello that OpenSSL gives up.
        case unacceptable
        /// The body of a client hello, without its header.
        case message([UInt8])
    }

    private static let recordHeaderByteCount = 5
    private static let messageHeaderByteCount = 4
    private static let recordByteCountMax = 16_384
    /// OpenSSL's maximum size of a ClientHello (`CLIENT_HELLO_MAX_LENGTH`).
    private static let messageByteCountMax = 131_396
    /// OpenSSL's maximum number of consecutive empty records (`MAX_EMPTY_RECORDS`).
    private static let emptyRecordCountMax = 32
    private static let handshakeRecord: UInt8 = 22
    private static let clientHello: UInt8 = 1

    private var message: [UInt8] = []
    /// How many bytes have been read.
    private var offset = 0
    /// What the record under way still has to bring.
    private var recordRestByteCount = 0
    private var emptyRecordCount = 0

    /// Gathers the message from `bytes`: all that came on the connection, those of earlier calls
    /// included, which are not read again.
    mutating func gather(_ bytes: Span<UInt8>) -> Result {
        while offset < bytes.count {
            if recordRestByteCount > 0 {
                let end = offset + min(recordRestByteCount, bytes.count - offset)
                for index in offset..<end { message.append(bytes[index]) }
                recordRestByteCount -= end - offset
                offset = end
                if let result = messageResult() { return result }
                continue
            }
            guard isPlausibleHeader(bytes) else { return offset == 0 ? .notTLS : .unacceptable }
            guard offset + Self.recordHeaderByteCount <= bytes.count else { return .needMore }
            let count = Int(bytes[offset + 3]) << 8 | Int(bytes[offset + 4])
            guard count <= Self.recordByteCountMax else {
                return offset == 0 ? .notTLS : .unacceptable
            }
            offset += Self.recordHeaderByteCount
            recordRestByteCount = count
            emptyRecordCount = count == 0 ? emptyRecordCount + 1 : 0
            guard emptyRecordCount <= Self.emptyRecordCountMax else { return .unacceptable }
        }
        return .needMore
    }

    /// Checks the bytes of a record header that are there. The minor version is not looked at, as
    /// RFC 8446 §5.1 asks.
    private func isPlausibleHeader(_ bytes: Span<UInt8>) -> Bool {
        guard bytes[offset] == Self.handshakeRecord else { return false }
        return offset + 1 >= bytes.count || bytes[offset + 1] == 3
    }

    /// nil while the message is incomplete and may still be a ClientHello.
    private func messageResult() -> Result? {
        guard let type = message.first else { return nil }
        guard type == Self.clientHello else { return .notTLS }
        guard message.count >= Self.messageHeaderByteCount else { return nil }
        let count = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
        guard count <= Self.messageByteCountMax else { return .unacceptable }
        guard message.count >= Self.messageHeaderByteCount + count else { return nil }
        let body = Self.messageHeaderByteCount..<Self.messageHeaderByteCount + count
        return .message([UInt8](message[body]))
    }
}
