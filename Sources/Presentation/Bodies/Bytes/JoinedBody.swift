/// Bytes in memory followed by a body: a message as it was received.
package final class JoinedBody: BodySource {
    private let head: [UInt8]
    private let body: any BodySource

    package init(_ head: [UInt8], _ body: any BodySource) {
        self.head = head
        self.body = body
    }

    package var extent: BodyExtent {
        var extent = body.extent
        extent.byteCount += head.count
        return extent
    }

    package func read(from offset: Int, byteCount: Int) -> [UInt8] {
        guard offset >= 0, byteCount > 0 else { return [] }
        guard offset < head.count else {
            return body.read(from: offset - head.count, byteCount: byteCount)
        }
        let taken = Array(head[offset..<min(head.count, offset + byteCount)])
        if taken.count == byteCount { return taken }
        return taken + body.read(from: 0, byteCount: byteCount - taken.count)
    }
}
