/// How binary data is written in JSON, which has no type for it.
public enum JSONDataStyle: Sendable, Hashable {
    /// A string in Base64 with padding (RFC 4648 §4).
    case base64
    /// An array of numbers, one per byte, as Foundation's `Data` encodes itself.
    case deferredToData
}
