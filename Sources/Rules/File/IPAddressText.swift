internal import ProxydHTTPWire

/// Distinguishes IP addresses from names.
enum IPAddressText {
    /// Whether a text is an IPv4 or IPv6 address, without brackets.
    static func isAddress(_ text: String) -> Bool {
        if text.contains(":") {
            // A bracket would end the address inside the URL.
            return text.utf8.allSatisfy(isPartOfAddress)
                && (try? EffectiveTarget.absoluteURL(Array("http://[\(text)]/".utf8).span)) != nil
        }
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4
            && numbers.allSatisfy { number in
                number.allSatisfy { ("0"..."9").contains($0) } && UInt8(number) != nil
                    && (number.count == 1 || number.first != "0")
            }
    }

    private static func isPartOfAddress(_ byte: UInt8) -> Bool {
        "0123456789abcdefABCDEF:.".utf8.contains(byte)
    }
}
