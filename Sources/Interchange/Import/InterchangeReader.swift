internal import ProxydParameterCoding

/// Reads exchanges out of a HAR document or JSON lines while the octets stream by: what is in
/// memory is the one entry that is being read, or one of its messages.
///
/// ```
///            "log" comes first ──▶ HAR:   elements of log.entries
/// sniffing ─┤
///            a name of ours ─────▶ JSONL: lines
/// ```
public struct InterchangeReader {
    /// What comes of an entry.
    public typealias Entry = Result<ImportedPart, ImportProblem>

    /// The longest entry that is read, in octets: a body of 64 MiB fits several times.
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

    /// A reader in front of the first octet.
    public init() {}

    /// Takes the next octets and hands over the entries they complete, good ones and bad ones.
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

    /// Says that the file has ended: hands over the last line, or what is missing.
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
        // One that has not ended yet is the next one.
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

    /// The value of an entry, a line or a message.
    static func value(_ octets: [UInt8]) throws(ImportProblem) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONReader(limits: JSONLimits(byteCountMax: entryByteCountMax)).read(octets)
        } catch {
            throw ImportProblem("it is no JSON: \(error)")
        }
    }
}
