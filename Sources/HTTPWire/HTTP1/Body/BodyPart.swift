internal import ProxydHTTPModel

/// One item that a body decoder found.
enum BodyPart {
    case needsMoreInput
    case bytes(Range<Int>)
    case trailers(HeaderFields)
    case end

    /// Takes as many of the `remaining` bytes as the input has, which must be at least one.
    static func bytes(
        _ remaining: inout UInt64,
        of input: Span<UInt8>,
        from offset: inout Int
    ) -> BodyPart {
        let start = offset
        let available = input.count &- offset
        let count = Int(min(remaining, UInt64(available)))
        remaining &-= UInt64(count)
        offset &+= count
        return .bytes(start..<offset)
    }
}
