internal import ProxydCharsets
internal import ProxydExchangeContent
package import ProxydParameterCoding

/// Shows a body in one form, as lines that are rendered on request.
///
/// A viewer examines the available bytes, and finds more lines when it is advanced; it never waits.
package protocol BodyViewer: Sendable {
    /// The name for users, in lower case; unique.
    static var name: String { get }
    /// Whether it reads the bytes of any charset; the others are given UTF-8.
    static var readsAnyCharset: Bool { get }
    /// How well the viewer suits a body, from 0 (not at all) to 100 (made for it).
    static func fitness(for facts: BodyFacts) -> Int

    init(_ facts: BodyFacts, _ source: any BodySource)

    /// The number of lines found so far.
    var lineCount: Int { get }
    /// Whether these are all lines of the available body.
    var isComplete: Bool { get }
    /// The number of bytes examined to find them.
    var indexedByteCount: Int { get }
    /// A remark on the whole body, such as a charset or a number of parts, or nil.
    var remark: String? { get }

    /// Finds more lines; examines about `byteBudget` bytes at most.
    mutating func advance(byteBudget: Int)
    /// Returns the lines in a range that have been found so far.
    func lines(_ range: Range<Int>) -> [StyledText]

    /// The offset at which a line starts in the body, or nil if it shows no bytes of it.
    func offset(ofLine line: Int) -> Int?
    /// The line that shows the byte at an offset, or nil if it was not found yet.
    func line(atOffset offset: Int) -> Int?

    /// Folds or unfolds what starts on a line; returns false if nothing does.
    mutating func toggleFold(atLine line: Int) -> Bool
    /// Folds everything below a number of levels, nothing for nil; false if the viewer cannot fold.
    mutating func setFoldDepth(_ depth: Int?) -> Bool

    /// The nested body that a line belongs to, if any.
    func nestedBody(atLine line: Int) -> NestedBody?
}

/// A body inside a body, to be viewed separately.
package struct NestedBody: Sendable {
    package let title: String
    package let facts: BodyFacts
    package let source: any BodySource
}

extension BodyViewer {
    package static var readsAnyCharset: Bool { true }
    package var remark: String? { nil }
    package mutating func toggleFold(atLine line: Int) -> Bool { false }
    package mutating func setFoldDepth(_ depth: Int?) -> Bool { false }
    package func nestedBody(atLine line: Int) -> NestedBody? { nil }
}

/// All viewers, and the choice of viewers for a body.
package enum BodyViewers {
    /// The viewers in the order in which they are offered; the last one shows any body.
    package static let all: [any BodyViewer.Type] = [
        graphQL, jsonTree, JSONTextViewer.self, FormViewer.self, parts,
        MarkupViewer.self, CodeViewer.self, EventStreamViewer.self, image, CallViewer.self,
        ProtobufViewer.self, MessagePackViewer.self, text, hex,
    ]

    package static let graphQL: any BodyViewer.Type = GraphQLViewer.self
    package static let jsonTree: any BodyViewer.Type = JSONTreeViewer.self
    package static let parts: any BodyViewer.Type = MultipartViewer.self
    package static let image: any BodyViewer.Type = ImageViewer.self
    package static let text: any BodyViewer.Type = TextViewer.self
    package static let hex: any BodyViewer.Type = HexViewer.self

    /// The viewers that suit a body, the best first. They always include hex.
    package static func suited(to facts: BodyFacts) -> [any BodyViewer.Type] {
        all.map { (type: $0, fitness: $0.fitness(for: facts)) }.filter { $0.fitness > 0 }
            // Sorting is stable: of equally good viewers, the one offered first.
            .sorted { $0.fitness > $1.fitness }.map(\.type)
    }

    package static func named(_ name: String) -> (any BodyViewer.Type)? {
        all.first { $0.name == name }
    }

    /// The best viewer for a body, excluding some that do not fit the purpose.
    static func best(
        for facts: BodyFacts, besides unfit: [any BodyViewer.Type]
    ) -> any BodyViewer.Type {
        suited(to: facts).first { type in !unfit.contains { $0 == type } } ?? hex
    }
}

/// A viewer whose lines are found by a scanner, so that it only has to render them.
protocol ScanningViewer: BodyViewer {
    associatedtype Scanner: LineScanner

    var index: LineIndex<Scanner> { get set }

    /// Renders a line; `bytes` are the bytes of its range.
    func render(_ line: Scanner.Line, _ bytes: [UInt8]) -> StyledText
}

extension ScanningViewer {
    var lineCount: Int { index.lineCount }
    var isComplete: Bool { index.isComplete }
    var indexedByteCount: Int { index.indexedByteCount }

    mutating func advance(byteBudget: Int) { index.advance(byteBudget: byteBudget) }

    func lines(_ range: Range<Int>) -> [StyledText] {
        index.lines(range).map { render($0, index.source.read($0.range)) }
    }

    func offset(ofLine line: Int) -> Int? { index.offset(of: line) }
    func line(atOffset offset: Int) -> Int? { index.line(at: offset) }
}

/// A body as viewers see it: in UTF-8 for those that find syntax byte by byte.
package struct ViewedBody: Sendable {
    /// Bodies up to this size in bytes are converted.
    private static let byteCountMax = 4 << 20

    package let facts: BodyFacts
    package let source: any BodySource
    package let viewer: any BodyViewer

    /// Creates a viewer of a body. A body that is not complete yet, or long, is not converted.
    package init(_ type: any BodyViewer.Type, _ facts: BodyFacts, _ source: any BodySource) {
        let facts = facts.decided(by: source)
        (self.facts, self.source) =
            type.readsAnyCharset
            ? (facts, source) : ViewedBody.converted(facts, source) ?? (facts, source)
        viewer = type.init(self.facts, self.source)
    }

    private static func converted(
        _ facts: BodyFacts, _ source: any BodySource
    ) -> (BodyFacts, any BodySource)? {
        let extent = source.extent
        guard extent.isComplete, extent.byteCount <= byteCountMax,
            facts.charset.charset != .utf8
        else { return nil }
        let text = facts.charset.utf8(of: source.read(from: 0, byteCount: extent.byteCount))
        return (facts.inUTF8(text), LoadedBody(text))
    }
}

/// The start of a body in memory as a fixed list of lines.
package struct BodyExcerpt {
    private static let textByteCountMax = 64 << 10
    private static let hexByteCountMax = 256

    /// The lines, as rendered by the viewer that suits the body best.
    package private(set) var lines: [StyledText] = []
    /// The number of bytes after those that the lines show.
    package private(set) var omittedByteCount = 0

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
