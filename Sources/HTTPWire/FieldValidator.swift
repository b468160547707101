/// Validates the parts of a head; used by everything that composes messages.
public enum FieldValidator {
    /// Whether bytes are a token: a method or a field name (RFC 9110 §5.6.2).
    public static func isToken(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 0 && ByteScan.endOfToken(bytes, from: 0) == bytes.count
    }

    /// Whether bytes are a valid field value: no control characters except HTAB, and no white space
    /// at the ends (RFC 9110 §5.5). An empty value is valid.
    public static func isFieldValue(_ bytes: Span<UInt8>) -> Bool {
        !isPadded(bytes) && isReason(bytes)
    }

    /// Whether there is white space at either end.
    static func isPadded(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 0 && (isBlank(bytes[0]) || isBlank(bytes[bytes.count &- 1]))
    }

    /// Whether bytes are a valid reason phrase: no control characters except HTAB (RFC 9112 §4).
    public static func isReason(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where ByteClass.isForbiddenInText(bytes[index]) {
            return false
        }
        return true
    }

    /// Whether bytes are a valid request target: not empty, no control characters, no white space
    /// (RFC 9112 §3.2).
    public static func isRequestTarget(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 0 && ByteScan.endOfVisible(bytes, from: 0) == bytes.count
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
