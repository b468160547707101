internal import ProxydParameterCoding

/// Reads exchanges out of a HAR document or JSON lines while the octets stream by: what is in
/// memory is the one entry that is being read.
///
/// ```
///            "log" comes first ──▶ HAR:   elements of log.entries
/// sniffing ─┤
///            a name of ours ─────▶ JSONL: lines
/// ```
public struct InterchangeReader {
    /// What comes of an entry.
    public typealias Entry = Result<ImportedExchange, ImportProblem>

    /// The longest entry that is read, in octets: a body of 64 MiB fits several times.
    static let entryByteCountMax = 512 << 20
    private static let sniffByteCountMax = 1 << 20

    private enum State {
        case sniffing([UInt8])
        case har(HARSplitter)
        case lines(LineCutter)
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
            case .har: state = .har(HARSplitter(byteCountMax: InterchangeReader.entryByteCountMax))
            case .lines:
                state = .lines(LineCutter(byteCountMax: InterchangeReader.entryByteCountMax))
            case .unknown: return try fail(take)
            }
            try receive(all, take)
        case .har(var splitter):
            state = .failed
            var elements: [SplitElement] = []
            splitter.receive(octets.span, into: &elements)
            state = .har(splitter)
            for element in elements { try take(entry(element, "entry", HARImport.exchange)) }
        case .lines(var cutter):
            state = .failed
            var elements: [SplitElement] = []
            cutter.receive(octets.span, into: &elements)
            state = .lines(cutter)
            try takeLines(elements, take)
        }
    }

    /// Says that the file has ended: hands over the last line, or what is missing.
    public mutating func finish(_ take: (Entry) throws -> Void) throws {
        switch state {
        case .failed: return
        case .sniffing: try fail(take)
        case .har(let splitter):
            if let problem = splitter.problemAtEnd {
                try take(
                    .failure(
                        ImportProblem(
                            problem,
                            place: splitter.isInElement
                                ? "entry \(position + 1)" : nil)))
            }
        case .lines(var cutter):
            var elements: [SplitElement] = []
            cutter.finish(into: &elements)
            try takeLines(elements, take)
        }
        state = .failed
    }

    private mutating func fail(_ take: (Entry) throws -> Void) throws {
        state = .failed
        try take(.failure(ImportProblem("it is neither HAR nor JSON lines of exchanges")))
    }

    private mutating func takeLines(
        _ elements: [SplitElement], _ take: (Entry) throws -> Void
    ) throws {
        for element in elements {
            if case .octets(let line) = element, !line.contains(where: { $0 > 0x20 }) {
                position += 1
                continue
            }
            try take(entry(element, "line", JSONLinesImport.exchange))
        }
    }

    private mutating func entry(
        _ element: SplitElement, _ noun: String,
        _ read: (JSONValue) throws(ImportProblem) -> ImportedExchange
    ) -> Entry {
        position += 1
        do throws(ImportProblem) {
            return .success(try InterchangeReader.exchange(element, read))
        } catch {
            return .failure(ImportProblem(error.message, place: "\(noun) \(position)"))
        }
    }

    private static func exchange(
        _ element: SplitElement, _ read: (JSONValue) throws(ImportProblem) -> ImportedExchange
    ) throws(ImportProblem) -> ImportedExchange {
        guard case .octets(let octets) = element else {
            throw ImportProblem("it is longer than \(entryByteCountMax >> 20) MiB")
        }
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONReader(limits: JSONLimits(byteCountMax: entryByteCountMax)).read(octets)
        } catch {
            throw ImportProblem("it is no JSON: \(error)")
        }
        return try read(value)
    }
}
