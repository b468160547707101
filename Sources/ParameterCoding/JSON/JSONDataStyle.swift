/// How octets are written in JSON, which has no form for them.
public enum JSONDataStyle: Sendable, Hashable {
    /// Base64 with padding (RFC 4648 §4) as text.
    case base64
    /// An array of numbers, one an octet: what Foundation's `Data` makes of itself.
    case deferredToData
}
