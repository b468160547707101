internal import ProxydParameterCoding

/// Shows server-sent events (WHATWG HTML §9.2) as numbered events with their fields.
struct EventStreamViewer: ScanningViewer {
    static let name = "events"

    var index: LineIndex<EventLineScanner>

    static func fitness(for facts: BodyFacts) -> Int { facts.kind == .eventStream ? 90 : 0 }

    init(_ facts: BodyFacts, _ source: any BodySource) {
        index = LineIndex(EventLineScanner(facts.beginning), source)
    }

    func render(_ line: EventLineScanner.Line, _ bytes: [UInt8]) -> StyledText {
        var rendered = StyledText()
        let number = line.isFirst ? "#\(line.eventNumber)" : ""
        rendered.append(number + String(repeating: " ", count: max(1, 6 - number.count)), .dim)
        rendered.indent = 6
        guard !line.isContinuation, let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
            rendered.appendTabbed(bytes[...], line.isContinuation ? .string : .key)
            return rendered
        }
        if colon == 0 {
            rendered.appendTabbed(bytes[...], .comment)
            return rendered
        }
        var value = bytes[(colon + 1)...]
        if value.first == 0x20 { value = value.dropFirst() }
        rendered.append(bytes[..<colon], .key)
        rendered.append(": ", .punctuation)
        rendered.appendTabbed(value, .string)
        return rendered
    }
}

/// Finds the lines of an event stream, and the event each line belongs to.
struct EventLineScanner: LineScanner {
    struct Line: ScannedLine {
        let range: Range<Int>
        let isContinuation: Bool
        /// The number of the event, from 1.
        let eventNumber: Int
        let isFirst: Bool
    }

    private var lines: TextScanner
    private var eventNumber = 1
    private var isFirst = true

    init(_ beginning: [UInt8]) { lines = TextScanner(eventStream: beginning) }

    mutating func next(_ bytes: Span<UInt8>, at offset: Int, isEnd: Bool) -> ScanResult<Line> {
        switch lines.next(bytes, at: offset, isEnd: isEnd) {
        case .line(let line, let byteCount):
            let found = Line(
                range: line.range, isContinuation: line.isContinuation, eventNumber: eventNumber,
                isFirst: isFirst && !line.range.isEmpty)
            if line.range.isEmpty, !line.isContinuation {
                if !isFirst { eventNumber += 1 }
                isFirst = true
            } else {
                isFirst = false
            }
            return .line(found, byteCount: byteCount)
        case .passed(let byteCount): return .passed(byteCount: byteCount)
        case .needsMore: return .needsMore
        case .ended: return .ended
        }
    }
}
