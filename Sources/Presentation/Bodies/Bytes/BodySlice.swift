/// A range of stored bytes as a separate body.
final class BodySlice: BodySource {
    private let contents: ByteContents
    private let range: Range<Int>

    init(_ contents: ByteContents, _ range: Range<Int>) {
        self.contents = contents
        self.range = range
    }

    var extent: BodyExtent {
        BodyExtent(byteCount: range.count, takenByteCount: range.count, isComplete: true)
    }

    func read(from offset: Int, byteCount: Int) -> [UInt8] {
        guard (0..<range.count).contains(offset) else { return [] }
        return contents.read(
            from: range.lowerBound + offset, byteCount: min(byteCount, range.count - offset))
    }
}
