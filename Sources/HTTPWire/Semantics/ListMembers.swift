internal import ProxydHTTPModel

/// Comma-separated lists without quoted strings, such as the value of Connection.
enum ListMembers {
    /// Calls `body` with the range of each member that is not empty (RFC 9110 §5.6.1).
    static func forEach(_ bytes: Span<UInt8>, _ range: Range<Int>, _ body: (Range<Int>) -> Void) {
        var start = range.lowerBound
        while start < range.upperBound {
            var end = start
            while end < range.upperBound, bytes[end] != 0x2C { end &+= 1 }
            let member = ASCII.trimmingOWS(bytes, start..<end)
            if !member.isEmpty { body(member) }
            start = end &+ 1
        }
    }
}
