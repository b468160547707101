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
