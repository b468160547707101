/// A line as a scanner found it, without its text: the data needed for rendering.
protocol ScannedLine: Sendable {
    /// The bytes the line shows, as offsets in the body. Empty for lines that show no bytes.
    var range: Range<Int> { get }
}

/// The result of looking for the next line.
enum ScanResult<Line: ScannedLine> {
    /// A line, and the number of bytes it took. It may take none if the scanner's state advanced.
    case line(Line, byteCount: Int)
    /// Bytes that do not belong to a line yet; at least one.
    case passed(byteCount: Int)
    /// The line does not end within the available bytes.
    case needsMore
    /// Nothing is left. Only allowed if the available bytes are the last of the body.
    case ended
}

/// Finds lines in a body one after another, from any position it has reached before: a scanner is a
/// value, and a copy of it remembers the position.
protocol LineScanner: Sendable {
    associatedtype Line: ScannedLine

    /// Finds the next line. `bytes` start at `offset` in the body; `isEnd` says that the body ends
    /// with them. It never needs more bytes than `LineIndex` provides at most.
    mutating func next(_ bytes: Span<UInt8>, at offset: Int, isEnd: Bool) -> ScanResult<Line>
}
