/// The lines of a body, found as far as somebody wants to see them.
///
/// Of what was found only a place every so many octets is remembered; lines are found again from
/// the nearest of these. So memory stays small, and any line is a short look away.
struct LineIndex<Scanner: LineScanner>: Sendable {
    /// Octets shown to a scanner at once.
    static var windowByteCount: Int { 64 << 10 }
    /// Octets from one remembered place to the next.
    private static var strideByteCount: Int { 32 << 10 }
    /// Lines of a body's unfinished end at most; the rest comes when more is known.
    private static var tailCountMax: Int { 10_000 }
    /// Lines in a row that take no octet at most.
    private static var idleCountMax: Int { 1_000 }

    private struct Place: Sendable {
        var scanner: Scanner
        var offset = 0
        var line = 0
    }

    let source: any BodySource
    private var places: [Place]
    /// How far lines are certain.
    private var head: Place
    /// Lines behind `head` that the body's end makes; others, should the body grow.
    private var tail: [Scanner.Line] = []
    private var tailExtent: BodyExtent?

    /// The lines that a scanner finds in a body.
    init(_ scanner: Scanner, _ source: any BodySource) {
        self.source = source
        head = Place(scanner: scanner)
        places = [head]
    }

    /// The scanner as it goes on.
    var scanner: Scanner { head.scanner }
    /// Lines found so far.
    var lineCount: Int { head.line + tail.count }
    /// Octets looked at so far.
    var indexedByteCount: Int { tailExtent?.byteCount ?? head.offset }
    /// Whether all lines of a body that is known to its end were found.
    var isComplete: Bool { tailExtent != nil && tailExtent == source.extent }

    /// Finds more lines, looking at about `byteBudget` octets at most.
    mutating func advance(byteBudget: Int) {
        let extent = source.extent
        guard tailExtent != extent else { return }
        tail = []
        tailExtent = nil
        let (sum, isOver) = head.offset.addingReportingOverflow(max(1, byteBudget))
        var place = head
        var found: [Place] = []
        var last = places.last?.offset ?? 0
        let end = scan(&place, extent, isEnd: false, upTo: isOver ? .max : sum) { _, place in
            if place.offset - last >= LineIndex.strideByteCount {
                found.append(place)
                last = place.offset
            }
            return true
        }
        head = place
        places += found
        if end == .reachedEnd, extent.isComplete { findTail(extent) }
    }

    private mutating func findTail(_ extent: BodyExtent) {
        var place = head
        var lines: [Scanner.Line] = []
        _ = scan(&place, extent, isEnd: true, upTo: .max) { line, _ in
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

    /// Lets the scanner run from a place until there is nothing more, the body says false, or
    /// the octet `limit` is passed.
    private func scan(
        _ place: inout Place, _ extent: BodyExtent, isEnd: Bool, upTo limit: Int,
        _ body: (Scanner.Line, Place) -> Bool
    ) -> ScanEnd {
        while place.offset < limit || isEnd {
            let window = source.read(
                from: place.offset,
                byteCount: min(LineIndex.windowByteCount, extent.byteCount - place.offset))
            let isLast = isEnd && place.offset + window.count >= extent.byteCount
            if window.isEmpty, !isLast { return .reachedEnd }
            let start = place.offset
            switch scan(window, isLast: isLast, upTo: limit, &place, body) {
            case .stopped: return .stopped
            case .reachedEnd where isLast: return .reachedEnd
            case .reachedEnd: break
            }
            if place.offset == start {
                // A scanner that wants more than a whole window would stand still for ever.
                guard window.count == LineIndex.windowByteCount else { return .reachedEnd }
                place.offset += 1
            }
        }
        return .stopped
    }

    /// Lets the scanner run through one window; `.reachedEnd` where it wants more than that.
    private func scan(
        _ window: [UInt8], isLast: Bool, upTo limit: Int, _ place: inout Place,
        _ body: (Scanner.Line, Place) -> Bool
    ) -> ScanEnd {
        let start = place.offset
        let octets = window.span
        var idleCount = 0
        while true {
            let rest = octets.extracting(min(place.offset - start, octets.count)..<octets.count)
            switch place.scanner.next(rest, at: place.offset, isEnd: isLast) {
            case .line(let line, let byteCount):
                idleCount = byteCount > 0 ? 0 : idleCount + 1
                // Lines that take nothing are few; more of them would never end.
                let isStuck = idleCount > LineIndex.idleCountMax
                place.offset += isStuck ? min(1, rest.count) : min(byteCount, rest.count)
                if isStuck, rest.isEmpty { return .reachedEnd }
                place.line += 1
                guard body(line, place), place.offset < limit else { return .stopped }
            case .passed(let byteCount):
                guard !rest.isEmpty else { return .reachedEnd }
                place.offset += min(max(1, byteCount), rest.count)
                if place.offset >= limit { return .stopped }
            case .needsMore, .ended:
                return .reachedEnd
            }
        }
    }

    /// Some of the lines found so far.
    func lines(_ range: Range<Int>) -> [Scanner.Line] {
        let wanted = range.clamped(to: 0..<lineCount)
        var lines: [Scanner.Line] = []
        let certain = wanted.clamped(to: 0..<head.line)
        if !certain.isEmpty {
            collect(certain, into: &lines)
        }
        for line in wanted where line >= head.line && line - head.line < tail.count {
            lines.append(tail[line - head.line])
        }
        return lines
    }

    private func collect(_ range: Range<Int>, into lines: inout [Scanner.Line]) {
        guard let index = lastPlace(where: { $0.line <= range.lowerBound }) else { return }
        var place = places[index]
        var number = place.line
        _ = scan(&place, source.extent, isEnd: false, upTo: .max) { line, _ in
            if number >= range.lowerBound { lines.append(line) }
            number += 1
            return number < range.upperBound
        }
    }

    /// The line that an offset lies in: the last one that begins at or before it; nil where the
    /// octets there were not looked at yet.
    func line(at offset: Int) -> Int? {
        guard offset < head.offset || tailExtent != nil else { return nil }
        guard let index = lastPlace(where: { $0.offset <= offset }) else { return nil }
        var place = places[index]
        var number = place.line
        var found = max(0, place.line - 1)
        _ = scan(&place, source.extent, isEnd: false, upTo: .max) { line, _ in
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

    /// Where a line begins in the body; nil where it is not known.
    func offset(of line: Int) -> Int? { lines(line..<line + 1).first?.range.lowerBound }

    /// Changes the rules of the scanner from an offset on: what was found behind it is forgotten.
    mutating func change(from offset: Int, _ body: (inout Scanner) -> Void) {
        while places.count > 1, let last = places.last, last.offset > offset {
            places.removeLast()
        }
        for index in places.indices { body(&places[index].scanner) }
        if let last = places.last { head = last }
        tail = []
        tailExtent = nil
    }

    private func lastPlace(where isBefore: (Place) -> Bool) -> Int? {
        var lower = 0
        var upper = places.count
        while lower < upper {
            let middle = (lower + upper) / 2
            if isBefore(places[middle]) { lower = middle + 1 } else { upper = middle }
        }
        return lower > 0 ? lower - 1 : nil
    }
}
