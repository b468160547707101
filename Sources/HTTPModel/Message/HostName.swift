/// Compares host names as HTTP and DNS do: case and a trailing dot do not matter (RFC 9110 §4.2.3,
/// RFC 1034 §3.1).
public enum HostName {
    /// Returns the name in lower case without a trailing dot; the same string if it is already in
    /// that form.
    public static func canonical(_ host: String) -> String {
        let bytes = host.utf8Span.span
        let places = 0..<byteCountWithoutFinalDot(bytes)
        var hasCapital = false
        for place in places where bytes[place] &- UInt8(ascii: "A") < 26 { hasCapital = true }
        if !hasCapital, places.count == bytes.count { return host }
        return String(decoding: places.map { ASCII.lowercased(bytes[$0]) }, as: UTF8.self)
    }

    /// Whether two names are the same host.
    public static func areSame(_ left: String, _ right: String) -> Bool {
        let (left, right) = (left.utf8Span, right.utf8Span)
        return areSame(left.span, right.span)
    }

    /// Whether two names, as bytes, are the same host.
    @inline(__always)
    public static func areSame(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        ASCII.equalsIgnoringCase(
            left.extracting(0..<byteCountWithoutFinalDot(left)),
            right.extracting(0..<byteCountWithoutFinalDot(right)))
    }

    private static func byteCountWithoutFinalDot(_ name: Span<UInt8>) -> Int {
        let hasFinalDot = name.count > 1 && name[name.count &- 1] == UInt8(ascii: ".")
        return hasFinalDot ? name.count &- 1 : name.count
    }
}
