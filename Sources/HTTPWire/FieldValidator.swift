/// Validates the parts of a head; used by everything that composes messages.
public enum FieldValidator {
    /// Whether bytes are a token: a method or a field name (RFC 9110 §5.6.2).
    public static func isToken(_ octets: Span<UInt8>) -> Bool {
        octets.count > 0 && OctetScan.endOfToken(octets, from: 0) == octets.count
    }

    /// Whether bytes are a valid field value: no control characters except HTAB, and no white space
    /// at the ends (RFC 9110 §5.5). An empty value is valid.
    public static func isFieldValue(_ octets: Span<UInt8>) -> Bool {
        !isPadded(octets) && isReason(octets)
    }

    /// Whether there is white space at either end.
    static func isPadded(_ octets: Span<UInt8>) -> Bool {
        octets.count > 0 && (isBlank(octets[0]) || isBlank(octets[octets.count &- 1]))
    }

    /// Whether bytes are a valid reason phrase: no control characters except HTAB (RFC 9112 §4).
    public static func isReason(_ octets: Span<UInt8>) -> Bool {
        for index in octets.indices where OctetClass.isForbiddenInText(octets[index]) {
            return false
        }
        return true
    }

    /// Whether bytes are a valid request target: not empty, no control characters, no white space
    /// (RFC 9112 §3.2).
    public static func isRequestTarget(_ octets: Span<UInt8>) -> Bool {
        octets.count > 0 && OctetScan.endOfVisible(octets, from: 0) == octets.count
    }

    private static func isBlank(_ octet: UInt8) -> Bool { octet == 0x20 || octet == 0x09 }
}
