internal import ProxydExchangeContent
package import ProxydParameterCoding

/// The start of a body in memory as a fixed list of lines.
package struct BodyExcerpt {
    /// The maximum number of bytes shown as text.
    private static let textByteCountMax = 64 << 10
    /// The maximum number of bytes shown in hexadecimal.
    private static let hexByteCountMax = 256

    /// The lines, as rendered by the viewer that suits the body best.
    package private(set) var lines: [StyledText] = []
    /// The number of bytes after those that the lines show.
    package private(set) var omittedByteCount = 0

    /// Creates the excerpt of decoded bytes.
    package init(_ bytes: [UInt8], contentType: String?) {
        let facts = BodyFacts(contentType: contentType, bytes: bytes)
        let type = BodyExcerpt.viewer(facts)
        var viewer = ViewedBody(type, facts, LoadedBody(bytes)).viewer
        if type == BodyViewers.image, ImageFacts(bytes) != nil {
            viewer.advance(byteBudget: bytes.count)
            lines = viewer.lines(0..<1)
        } else if type == BodyViewers.image || type == BodyViewers.hex {
            lines = HexLines.lines(bytes.prefix(BodyExcerpt.hexByteCountMax))
            omittedByteCount = max(0, bytes.count - BodyExcerpt.hexByteCountMax)
        } else {
            take(&viewer, byteCount: bytes.count)
        }
    }

    /// Creates the excerpt of a formatted JSON value.
    package init(_ value: JSONValue) {
        var text: [UInt8] = []
        JSONText.write(value, into: &text)
        self.init(text, contentType: "application/json")
    }

    private mutating func take(_ viewer: inout any BodyViewer, byteCount: Int) {
        var shownByteCount = 0
        viewer.advance(byteBudget: BodyExcerpt.textByteCountMax)
        for number in 0..<viewer.lineCount {
            let line = viewer.lines(number..<number + 1)
            shownByteCount += line.reduce(0) { $0 + $1.text.utf8.count }
            guard shownByteCount <= BodyExcerpt.textByteCountMax || lines.isEmpty else {
                omittedByteCount = byteCount - (viewer.offset(ofLine: number) ?? byteCount)
                return
            }
            lines += line
        }
        if !viewer.isComplete { omittedByteCount = max(0, byteCount - viewer.indexedByteCount) }
        // A line break at the end of a text does not start another line here.
        if lines.last?.runs.isEmpty == true { lines.removeLast() }
    }

    /// A viewer that does not fold. GraphQL is shown beside the body instead.
    private static func viewer(_ facts: BodyFacts) -> any BodyViewer.Type {
        BodyViewers.best(for: facts, besides: [BodyViewers.jsonTree, BodyViewers.graphQL])
    }
}
