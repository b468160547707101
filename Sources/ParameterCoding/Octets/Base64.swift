/// Writes Base64 with padding (RFC 4648 §4).
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The text of octets.
    static func text(_ octets: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((octets.count / 3 + 1) * 4)
        var index = 0
        while index < octets.count {
            let left = octets.count - index
            let second = left > 1 ? octets[index + 1] : 0
            let third = left > 2 ? octets[index + 2] : 0
            text.append(digit(octets[index] >> 2))
            text.append(digit(octets[index] << 4 | second >> 4))
            text.append(left > 1 ? digit(second << 2 | third >> 6) : UInt8(ascii: "="))
            text.append(left > 2 ? digit(third) : UInt8(ascii: "="))
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 { alphabet[Int(value & 0x3F)] }
}
