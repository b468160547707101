internal import ProxydParameterCoding

/// Reads exchanges from a streamed HAR document or JSON Lines: only the current entry, or one of
/// its messages, is held in memory.
///
/// ```
///            "log" comes first ──▶ HAR:   elements of log.entries
/// sniffing ─┤
///            a name of ours ─────▶ JSONL: lines
/// ```
public struct InterchangeReader {
    /// The result of parsing an entry.
    public typealias Entry = Result<ImportedPart, ImportProblem>

    /// The maximum length of an entry in bytes, enough for several bodies of 64 MiB.
    static let entryByteCountMax = 512 << 20
    private static let sniffByteCountMax = 1 << 20

    private enum State {
        case sniffing([UInt8])
        case har(HARSplitter, HAREntryReader)
        case lines(LineCutter, LineReader)
        case failed
    }

    private var state = State.sniffing([])
    private var position = 0

    /// Creates a reader at the start of a file.
    public init() {}

    /// Processes the next bytes and passes on each entry that they complete, valid or not.
    public mutating func receive(
        _ octets: [UInt8], _ take: (Entry) throws -> Void
    ) throws {
        switch state {
        case .failed: return
        case .sniffing(let begun):
            let all = begun + octets
            guard let format = FormatSniffer.format(of: all) else {
                guard all.count > InterchangeReader.sniffByteCountMax else {
                    state = .sniffing(all)
                    return
                }
                return try fail(take)
            }
            switch format {
            case .har:
                let byteCountMax = InterchangeReader.entryByteCountMax
                state = .har(
                    HARSplitter(byteCountMax: byteCountMax),
                    HAREntryReader(byteCountMax: byteCountMax))
            case .lines:
                state = .lines(
                    LineCutter(byteCountMax: InterchangeReader.entryByteCountMax), LineReader())
            case .unknown: return try fail(take)
            }
            try receive(all, take)
        case .har(var splitter, var entries):
            state = .failed
            var elements: [SplitElement] = []
            splitter.receive(octets.span, into: &elements)
            for element in elements { try takeEntry(element, &entries, take) }
            state = .har(splitter, entries)
        case .lines(var cutter, var lines):
            state = .failed
            var elements: [SplitElement] = []
            cutter.receive(octets.span, into: &elements)
            try takeLines(elements, &lines, take)
            state = .lines(cutter, lines)
        }
    }

    /// Processes the end of the file: passes on the last line, or an error if something is missing.
    public mutating func finish(_ take: (Entry) throws -> Void) throws {
        switch state {
        case .failed: return
        case .sniffing: try fail(take)
        case .har(let splitter, _):
            if let problem = splitter.problemAtEnd {
                try take(
                    .failure(
                        ImportProblem(
                            problem,
                            place: splitter.isInElement
                                ? "entry \(position + 1)" : nil)))
            }
        case .lines(var cutter, var lines):
            var elements: [SplitElement] = []
            cutter.finish(into: &elements)
            try takeLines(elements, &lines, take)
        }
        state = .failed
    }

    private mutating func fail(_ take: (Entry) throws -> Void) throws {
        state = .failed
        try take(.failure(ImportProblem("it is neither HAR nor JSON lines of exchanges")))
    }

    private mutating func takeEntry(
        _ element: SplitElement, _ entries: inout HAREntryReader, _ take: (Entry) throws -> Void
    ) throws {
        switch element {
        case .octets, .tooLong: position += 1
        case .beforeMessages, .message: break
        }
        // An entry that has not ended yet is the next one.
        let isEnd = if case .octets = element { true } else { false }
        do {
            try entries.receive(element) { try take(.success($0)) }
        } catch let problem as ImportProblem {
            let number = isEnd ? position : position + 1
            try take(.failure(ImportProblem(problem.message, place: "entry \(number)")))
        }
    }

    private mutating func takeLines(
        _ elements: [SplitElement], _ lines: inout LineReader, _ take: (Entry) throws -> Void
    ) throws {
        for element in elements {
            position += 1
            if case .octets(let line) = element, !line.contains(where: { $0 > 0x20 }) { continue }
            let entry: Entry
            do throws(ImportProblem) {
                entry = .success(try lines.part(element))
            } catch {
                entry = .failure(ImportProblem(error.message, place: "line \(position)"))
            }
            try take(entry)
        }
    }

    /// Parses the JSON of an entry, a line or a message.
    static func value(_ octets: [UInt8]) throws(ImportProblem) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONReader(limits: JSONLimits(byteCountMax: entryByteCountMax)).read(octets)
        } catch {
            throw ImportProblem("it is not JSON: \(error)")
        }
    }
}
