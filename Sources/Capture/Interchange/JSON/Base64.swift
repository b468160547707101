internal import Foundation

/// Octets as base64 (RFC 4648 §4).
public enum Base64 {
    /// The text of octets.
    public static func text(_ octets: [UInt8]) -> String { Data(octets).base64EncodedString() }

    /// The octets of a text, which may be broken into lines; nil where it is not base64.
    public static func octets(_ text: String) -> [UInt8]? {
        if let data = Data(base64Encoded: text) { return [UInt8](data) }
        let plain = text.utf8.filter { $0 != 0x0A && $0 != 0x0D }
        return Data(base64Encoded: Data(plain)).map { [UInt8]($0) }
    }
}
