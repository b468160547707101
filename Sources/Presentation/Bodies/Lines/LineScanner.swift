/// A line as a scanner found it, without its text: what rendering needs to know.
protocol ScannedLine: Sendable {
    /// The octets it stands for, as offsets into the body. Empty for lines that stand for none.
    var range: Range<Int> { get }
}

/// What a scanner made of the octets it was shown.
enum ScanResult<Line: ScannedLine> {
    /// A line, and the octets it took. A line may take none where the scanner's state went on.
    case line(Line, byteCount: Int)
    /// Octets that belong to no line yet; at least one.
    case passed(byteCount: Int)
    /// The line does not end within the octets shown.
    case needsMore
    /// Nothing is left. Only where the octets shown are the body's last.
    case ended
}

/// Finds lines in a body, one after the other, from any place where it stood before: a scanner
/// is a value that is copied to come back.
protocol LineScanner: Sendable {
    associatedtype Line: ScannedLine

    /// Looks for the next line. `octets` lie at `offset` of the body; `isEnd` says that the body
    /// ends with them. Shown as many octets as `LineIndex` shows at most, it never needs more.
    mutating func next(_ octets: Span<UInt8>, at offset: Int, isEnd: Bool) -> ScanResult<Line>
}
