internal import Foundation

/// Octets as base64 (RFC 4648 §4).
enum Base64 {
    static func text(_ octets: [UInt8]) -> String { Data(octets).base64EncodedString() }
}
