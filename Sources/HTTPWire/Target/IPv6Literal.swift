/// The grammar of an IPv6 address (RFC 3986 §3.2.2, RFC 4291 §2.2): eight groups, of which one run
/// of zeros may be written as `::` and the last two as an IPv4 address. Zones are not allowed.
enum IPv6Literal {
    static func isValid(_ bytes: Span<UInt8>) -> Bool {
        var groupCount = 0
        var hasGap = false
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: ":") {
                let isDouble = index &+ 1 < bytes.count && bytes[index &+ 1] == UInt8(ascii: ":")
                // A single colon must be between two groups, and `::` may occur only once.
                guard isDouble ? !hasGap : groupCount > 0 && index &+ 1 < bytes.count else {
                    return false
                }
                hasGap = hasGap || isDouble
                index &+= isDouble ? 2 : 1
                if isDouble && index == bytes.count { break }
            }
            let start = index
            while index < bytes.count, WireNumber.hexDigit(bytes[index]) != nil { index &+= 1 }
            if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
                groupCount &+= 2
                index = bytes.count
                guard isIPv4(bytes.extracting(start..<bytes.count)) else { return false }
            } else {
                guard 1...4 ~= index &- start else { return false }
                groupCount &+= 1
            }
        }
        return hasGap ? groupCount < 8 : groupCount == 8
    }

    /// Whether the bytes are four decimal numbers up to 255, separated by dots.
    private static func isIPv4(_ bytes: Span<UInt8>) -> Bool {
        var partCount = 0
        var start = 0
        while start <= bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != UInt8(ascii: ".") { end &+= 1 }
            guard end &- start <= 3,
                let part = WireNumber.decimal(bytes.extracting(start..<end)), part <= 255
            else { return false }
            partCount &+= 1
            start = end &+ 1
        }
        return partCount == 4
    }
}
