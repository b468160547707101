/// What may be written into a head; asked by everything that composes messages.
public enum FieldValidator {
    /// Whether octets are a token: a method or a field name (RFC 9110 §5.6.2).
    public static func isToken(_ octets: Span<UInt8>) -> Bool {
        octets.count > 0 && OctetScan.endOfToken(octets, from: 0) == octets.count
    }

    /// Whether octets may be a field value: no control octet but HTAB, no white space at the ends
    /// (RFC 9110 §5.5). Empty is legal.
    public static func isFieldValue(_ octets: Span<UInt8>) -> Bool {
        !isPadded(octets) && isReason(octets)
    }

    /// Whether there is white space at an end.
    static func isPadded(_ octets: Span<UInt8>) -> Bool {
        octets.count > 0 && (isBlank(octets[0]) || isBlank(octets[octets.count &- 1]))
    }

    /// Whether octets may be a reason phrase: no control octet but HTAB (RFC 9112 §4).
    public static func isReason(_ octets: Span<UInt8>) -> Bool {
        for index in octets.indices where OctetClass.isForbiddenInText(octets[index]) {
            return false
        }
        return true
    }

    /// Whether octets may be a request target: not empty, no control octet, no white space
    /// (RFC 9112 §3.2).
    public static func isRequestTarget(_ octets: Span<UInt8>) -> Bool {
        octets.count > 0 && OctetScan.endOfVisible(octets, from: 0) == octets.count
    }

    private static func isBlank(_ octet: UInt8) -> Bool { octet == 0x20 || octet == 0x09 }
}
