/// What a close frame says (RFC 6455 §5.5.1): nothing, or a code and a reason.
public struct WebSocketClosing: Sendable, Hashable {
    /// Nil where the frame is empty, which is told to applications as 1005.
    public var code: UInt16?
    /// UTF-8, for a person.
    public var reason: String

    /// What to say.
    public init(code: UInt16?, reason: String = "") {
        self.code = code
        self.reason = reason
    }

    /// What a close frame's payload says.
    /// - Throws: `.closeOfOneByte`, `.closeCode`, `.invalidUTF8`.
    public init(_ payload: Span<UInt8>) throws(WebSocketFault) {
        code = nil
        reason = ""
        guard payload.count > 0 else { return }
        guard payload.count > 1 else { throw .closeOfOneByte }
        let code = UInt16(payload[0]) &<< 8 | UInt16(payload[1])
        guard WebSocketClosing.mayBeSent(code) else { throw .closeCode(code) }
        let text = payload.extracting(2..<payload.count)
        var validator = UTF8Validator()
        guard validator.receive(text), validator.isComplete else { throw .invalidUTF8 }
        self.code = code
        reason = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// The payload: at most 125 bytes, the reason cut at a character where it is longer.
    public var payload: [UInt8] {
        guard let code else { return [] }
        var bytes = [UInt8(truncatingIfNeeded: code &>> 8), UInt8(truncatingIfNeeded: code)]
        for scalar in reason.unicodeScalars {
            let encoded = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            guard bytes.count &+ encoded.count <= 125 else { break }
            bytes.append(contentsOf: encoded)
        }
        return bytes
    }

    /// Whether a code may stand in a close frame: those of RFC 6455 §7.4.1 and IANA's registry,
    /// and 3000 to 4999, which are for libraries and applications (§7.4.2).
    public static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
