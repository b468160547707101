internal import ProxydWebServer

/// The part of a body that a Range field asks for (RFC 9110 §14). Several ranges, and units other
/// than bytes, are answered with the whole body.
struct ByteRange: Sendable {
    private let start: Int64
    private let end: Int64
    private let byteCount: Int64
    /// The number of bytes of the body that have passed.
    private var offset: Int64 = 0

    /// Throws 416 if the range is outside the body.
    init(_ field: String?, byteCount: Int64) throws(WebProblem) {
        self.byteCount = byteCount
        guard let (first, last) = ByteRange.bounds(field) else {
            (start, end) = (0, byteCount)
            return
        }
        switch (first, last) {
        case (let first?, let last):
            start = first
            end = last.map { $0 < byteCount ? $0 + 1 : byteCount } ?? byteCount
        case (nil, let suffix):
            start = max(0, byteCount - (suffix ?? 0))
            end = byteCount
        }
        guard start < end else {
            throw WebProblem(416, "the range is outside the body of \(byteCount) bytes")
        }
    }

    /// Whether less than the whole body is wanted.
    var isPartial: Bool { start > 0 || end < byteCount }
    /// Whether everything that is wanted has passed.
    var isDone: Bool { offset >= end }
    /// The value of Content-Range.
    var contentRange: String { "bytes \(start)-\(end - 1)/\(byteCount)" }

    /// Returns the wanted bytes of the next chunk of the body.
    mutating func take(from chunk: [UInt8]) -> [UInt8] {
        let first = max(0, min(Int64(chunk.count), start - offset))
        let last = max(first, min(Int64(chunk.count), end - offset))
        offset += Int64(chunk.count)
        return first == 0 && last == chunk.count ? chunk : Array(chunk[Int(first)..<Int(last)])
    }

    private static func bounds(_ field: String?) -> (first: Int64?, last: Int64?)? {
        guard let field, field.hasPrefix("bytes="), !field.contains(",") else { return nil }
        let parts = field.dropFirst(6).split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let (first, last) = (number(parts[0]), number(parts[1]))
        let isFirst = first != nil || parts[0].isEmpty
        guard isFirst, last != nil || (parts[1].isEmpty && first != nil) else { return nil }
        if let first, let last, last < first { return nil }
        return (first, last)
    }

    /// Digits alone: a sign is not part of the syntax.
    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }
}
