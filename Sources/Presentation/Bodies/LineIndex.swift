/// The lines of a body, found as far as they are needed.
///
/// Only one position every few KiB is remembered; lines are found again from the nearest one. This
/// keeps memory small, and any line is close to a remembered position.
struct LineIndex<Scanner: LineScanner>: Sendable {
    /// How many bytes a scanner is given at a time.
    static var windowByteCount: Int { 64 << 10 }
    /// The number of bytes from one remembered position to the next.
    private static var strideByteCount: Int { 32 << 10 }
    /// The most lines for the unfinished end of a body; more follow when more is known.
    private static var tailCountMax: Int { 10_000 }
    /// The maximum number of consecutive lines that take no bytes.
    private static var idleCountMax: Int { 1_000 }

    private struct Checkpoint: Sendable {
        var scanner: Scanner
        var offset = 0
        var line = 0
    }

    let source: any BodySource
    private var checkpoints: [Checkpoint]
    /// The position up to which lines are final.
    private var head: Checkpoint
    /// Lines after `head`, assuming that the body ends here; they change if the body grows.
    private var tail: [Scanner.Line] = []
    private var tailExtent: BodyExtent?

    init(_ scanner: Scanner, _ source: any BodySource) {
        self.source = source
        head = Checkpoint(scanner: scanner)
        checkpoints = [head]
    }

    var scanner: Scanner { head.scanner }
    var lineCount: Int { head.line + tail.count }
    var indexedByteCount: Int { tailExtent?.byteCount ?? head.offset }
    /// Whether all lines of a completely known body were found.
    var isComplete: Bool { tailExtent != nil && tailExtent == source.extent }

    mutating func advance(byteBudget: Int) {
        let extent = source.extent
        guard tailExtent != extent else { return }
        tail = []
        tailExtent = nil
        let (sum, isOver) = head.offset.addingReportingOverflow(max(1, byteBudget))
        var checkpoint = head
        var found: [Checkpoint] = []
        var last = checkpoints.last?.offset ?? 0
        let end = scan(&checkpoint, extent, isEnd: false, upTo: isOver ? .max : sum) {
            _, checkpoint in
            if checkpoint.offset - last >= LineIndex.strideByteCount {
                found.append(checkpoint)
                last = checkpoint.offset
            }
            return true
        }
        head = checkpoint
        checkpoints += found
        if end == .reachedEnd, extent.isComplete { findTail(extent) }
    }

    private mutating func findTail(_ extent: BodyExtent) {
        var checkpoint = head
        var lines: [Scanner.Line] = []
        _ = scan(&checkpoint, extent, isEnd: true, upTo: .max) { line, _ in
            lines.append(line)
            return lines.count < LineIndex.tailCountMax
        }
        tail = lines
        tailExtent = extent
    }

    private enum ScanEnd {
        case reachedEnd
        case stopped
    }

    /// Runs the scanner from a position until there is nothing more, the closure returns false, or
    /// the offset `limit` is passed.
    private func scan(
        _ checkpoint: inout Checkpoint, _ extent: BodyExtent, isEnd: Bool, upTo limit: Int,
        _ body: (Scanner.Line, Checkpoint) -> Bool
    ) -> ScanEnd {
        while checkpoint.offset < limit || isEnd {
            let window = source.read(
                from: checkpoint.offset,
                byteCount: min(LineIndex.windowByteCount, extent.byteCount - checkpoint.offset))
            let isLast = isEnd && checkpoint.offset + window.count >= extent.byteCount
            if window.isEmpty, !isLast { return .reachedEnd }
            let start = checkpoint.offset
            switch scan(window, isLast: isLast, upTo: limit, &checkpoint, body) {
            case .stopped: return .stopped
            case .reachedEnd where isLast: return .reachedEnd
            case .reachedEnd: break
            }
            if checkpoint.offset == start {
                // A scanner that needs more than a whole window would make no progress forever.
                guard window.count == LineIndex.windowByteCount else { return .reachedEnd }
                checkpoint.offset += 1
            }
        }
        return .stopped
    }

    /// Runs the scanner through one window; returns `.reachedEnd` if it needs more.
    private func scan(
        _ window: [UInt8], isLast: Bool, upTo limit: Int, _ checkpoint: inout Checkpoint,
        _ body: (Scanner.Line, Checkpoint) -> Bool
    ) -> ScanEnd {
        let start = checkpoint.offset
        let bytes = window.span
        var idleCount = 0
        while true {
            let rest = bytes.extracting(min(checkpoint.offset - start, bytes.count)..<bytes.count)
            switch checkpoint.scanner.next(rest, at: checkpoint.offset, isEnd: isLast) {
            case .line(let line, let byteCount):
                idleCount = byteCount > 0 ? 0 : idleCount + 1
                // Lines that take no bytes are few; unlimited, the scanner might never end.
                let isStuck = idleCount > LineIndex.idleCountMax
                checkpoint.offset += isStuck ? min(1, rest.count) : min(byteCount, rest.count)
                if isStuck, rest.isEmpty { return .reachedEnd }
                checkpoint.line += 1
                guard body(line, checkpoint), checkpoint.offset < limit else { return .stopped }
            case .passed(let byteCount):
                guard !rest.isEmpty else { return .reachedEnd }
                checkpoint.offset += min(max(1, byteCount), rest.count)
                if checkpoint.offset >= limit { return .stopped }
            case .needsMore, .ended: return .reachedEnd
            }
        }
    }

    func lines(_ range: Range<Int>) -> [Scanner.Line] {
        let wanted = range.clamped(to: 0..<lineCount)
        var lines: [Scanner.Line] = []
        let certain = wanted.clamped(to: 0..<head.line)
        if !certain.isEmpty { collect(certain, into: &lines) }
        for line in wanted where line >= head.line && line - head.line < tail.count {
            lines.append(tail[line - head.line])
        }
        return lines
    }

    private func collect(_ range: Range<Int>, into lines: inout [Scanner.Line]) {
        guard let index = lastCheckpoint(where: { $0.line <= range.lowerBound }) else { return }
        var checkpoint = checkpoints[index]
        var number = checkpoint.line
        _ = scan(&checkpoint, source.extent, isEnd: false, upTo: .max) { line, _ in
            if number >= range.lowerBound { lines.append(line) }
            number += 1
            return number < range.upperBound
        }
    }

    /// The line that contains an offset: the last one that starts at or before it. Returns nil if
    /// the bytes there were not examined yet.
    func line(at offset: Int) -> Int? {
        guard offset < head.offset || tailExtent != nil else { return nil }
        guard let index = lastCheckpoint(where: { $0.offset <= offset }) else { return nil }
        var checkpoint = checkpoints[index]
        var number = checkpoint.line
        var found = max(0, checkpoint.line - 1)
        _ = scan(&checkpoint, source.extent, isEnd: false, upTo: .max) { line, _ in
            guard line.range.lowerBound <= offset, number < head.line else { return false }
            found = number
            number += 1
            return true
        }
        if offset >= head.offset {
            for (index, line) in tail.enumerated() where line.range.lowerBound <= offset {
                found = head.line + index
            }
        }
        return min(found, max(0, lineCount - 1))
    }

    func offset(of line: Int) -> Int? { lines(line..<line + 1).first?.range.lowerBound }

    /// Changes the scanner's rules from an offset on; lines found after it are discarded.
    mutating func change(from offset: Int, _ body: (inout Scanner) -> Void) {
        while checkpoints.count > 1, let last = checkpoints.last, last.offset > offset {
            checkpoints.removeLast()
        }
        for index in checkpoints.indices { body(&checkpoints[index].scanner) }
        if let last = checkpoints.last { head = last }
        tail = []
        tailExtent = nil
    }

    private func lastCheckpoint(where isBefore: (Checkpoint) -> Bool) -> Int? {
        var lower = 0
        var upper = checkpoints.count
        while lower < upper {
            let middle = (lower + upper) / 2
            if isBefore(checkpoints[middle]) { lower = middle + 1 } else { upper = middle }
        }
        return lower > 0 ? lower - 1 : nil
    }
}

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
