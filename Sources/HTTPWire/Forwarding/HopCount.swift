public import ProxydHTTPModel

/// How many proxies of our kind a request has passed through, as one proxyd tells the next. The
/// field is nominated by Connection (RFC 9110 §7.6.1), so that no proxy forwards it; without `Via`,
/// it is what ends a circle of proxies.
public enum HopCount {
    /// The field's name.
    public static let fieldName = "Proxyd-Hops"
    /// More proxies than a real chain has.
    public static let max = 8

    /// Whether a line is the field. It is never forwarded, even if Connection does not nominate it:
    /// no server should learn how many proxies there are.
    static func isField(
        _ line: HeaderFields.Line, of fields: borrowing HeaderFields
    ) -> Bool {
        line.nameRange.count == fieldName.utf8.count
            && ASCII.equalsIgnoringCase(
                fields.bytes.span.extracting(line.nameRange), "proxyd-hops")
    }

    /// The number in a request from a client; 0 without one. Text that is not a small number counts
    /// as too many.
    public static func received(_ fields: borrowing HeaderFields) -> Int {
        guard let text = fields[fieldName] else { return 0 }
        return Int(UInt8(text) ?? .max)
    }
}
