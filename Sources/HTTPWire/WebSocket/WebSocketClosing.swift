/// The content of a close frame (RFC 6455 §5.5.1): empty, or a code and a reason.
public struct WebSocketClosing: Sendable, Hashable {
    /// The status code; nil if the frame is empty, which applications see as 1005.
    public var code: UInt16?
    /// The reason, a text for the user.
    public var reason: String

    /// Creates the content of a close frame.
    public init(code: UInt16?, reason: String = "") {
        self.code = code
        self.reason = reason
    }

    /// Parses the payload of a close frame.
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

    /// The payload, at most 125 bytes; a longer reason is truncated at a character boundary.
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

    /// Whether a code is allowed in a close frame: those of RFC 6455 §7.4.1 and IANA's registry,
    /// and 3000 to 4999, which are for libraries and applications (§7.4.2).
    public static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
