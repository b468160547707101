internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// Reads exchanges from a streamed file: only the current entry, or one of its messages, is held in
/// memory.
///
/// ```
///            "log" comes first ──▶ HAR:     elements of log.entries
///            a name of ours ─────▶ JSONL:   lines
/// sniffing ─┤
///            a length and colon ─▶ flows:   netstrings of mitmproxy
///            a bracket ──────────▶ Charles: elements of the array
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
        case flows(FlowSplitter)
        case transactions(ArraySplitter)
        case failed
    }

    /// Elements each of which is an entry of its own.
    private enum Kind: String {
        case flow
        case entry
    }

    private let byteCountMax: Int
    /// The files beside a HAR log in its archive.
    private let files: HARFiles?
    private var unpacker = ImportUnpacker()
    private var state = State.sniffing([])
    private var position = 0

    /// Creates a reader at the start of a file, in this format or in one that its start tells.
    public init(_ format: ImportFormat? = nil) {
        self.init(format, byteCountMax: InterchangeReader.entryByteCountMax)
    }

    /// - Parameter byteCountMax: The maximum length of an entry in bytes.
    package init(_ format: ImportFormat? = nil, byteCountMax: Int) {
        self.init(format, byteCountMax: byteCountMax, files: nil)
    }

    /// - Parameter files: The files beside a HAR log in its archive.
    init(files: HARFiles) {
        self.init(.har, byteCountMax: InterchangeReader.entryByteCountMax, files: files)
    }

    private init(_ format: ImportFormat?, byteCountMax: Int, files: HARFiles?) {
        self.byteCountMax = byteCountMax
        self.files = files
        if let format, let state = start(of: format) { self.state = state }
    }

    /// The state at the start of a format that is read from its start to its end.
    private func start(of format: ImportFormat) -> State? {
        switch format {
        case .har:
            .har(
                HARSplitter(byteCountMax: byteCountMax),
                HAREntryReader(byteCountMax: byteCountMax, files: files))
        case .jsonl: .lines(LineCutter(byteCountMax: byteCountMax), LineReader())
        case .mitmproxy: .flows(FlowSplitter(byteCountMax: byteCountMax))
        case .chlsj: .transactions(ArraySplitter(byteCountMax: byteCountMax))
        case .saz, .pcapng: nil
        }
    }

    /// Processes the next bytes and passes on each entry that they complete, valid or not.
    public mutating func receive(
        _ bytes: [UInt8], _ take: (Entry) throws -> Void
    ) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let text = unpacker.next(&rest)
            try receive(text: text, take)
            guard isReading else { return }
            if let problem = unpacker.problem { return try fail(problem, take) }
        }
    }

    private mutating func receive(
        text bytes: [UInt8], _ take: (Entry) throws -> Void
    ) throws {
        switch state {
        case .failed: return
        case .sniffing(let begun):
            let all = begun + bytes
            switch FormatSniffer.format(of: all) {
            case .known(let format)?:
                state = start(of: format) ?? .failed
                try receive(text: all, take)
            case .unknown(let reason)?: try fail(reason, take)
            case nil where all.count > InterchangeReader.sniffByteCountMax:
                try fail(FormatSniffer.nothingKnown, take)
            case nil: state = .sniffing(all)
            }
        case .har(var splitter, var entries):
            state = .failed
            var elements: [SplitElement] = []
            splitter.receive(bytes.span, into: &elements)
            for element in elements { try takeEntry(element, &entries, take) }
            state = .har(splitter, entries)
        case .lines(var cutter, var lines):
            state = .failed
            var elements: [SplitElement] = []
            cutter.receive(bytes.span, into: &elements)
            try takeLines(elements, &lines, take)
            state = .lines(cutter, lines)
        case .flows(var splitter):
            state = .failed
            var elements: [SplitElement] = []
            splitter.receive(bytes.span, into: &elements)
            try takeEach(elements, .flow, take)
            if let problem = splitter.problem {
                return try fail(problem, at: .flow, take)
            }
            state = .flows(splitter)
        case .transactions(var splitter):
            state = .failed
            var elements: [SplitElement] = []
            splitter.receive(bytes.span, into: &elements)
            try takeEach(elements, .entry, take)
            if splitter.isBroken { return try fail("it is not an array of transactions", take) }
            state = .transactions(splitter)
        }
    }

    /// Processes the end of the file: passes on the last line, or an error if something is missing.
    public mutating func finish(_ take: (Entry) throws -> Void) throws {
        try receive(text: unpacker.finish(), take)
        // A file may be shorter than what its format is told by.
        if case .sniffing(let begun) = state, !begun.isEmpty {
            try receive(text: [UInt8](repeating: 0x20, count: FormatSniffer.markByteCount), take)
        }
        if let problem = unpacker.problem, isReading { return try fail(problem, take) }
        switch state {
        case .failed: return
        case .sniffing: try fail(FormatSniffer.nothingKnown, take)
        case .har(let splitter, let entries):
            if let reason = splitter.problemAtEnd {
                var problem = ImportProblem(
                    reason, place: splitter.isInElement ? "entry \(position + 1)" : nil,
                    isDamage: true)
                problem.abandonsLast = entries.isWithinMessages
                try take(.failure(problem))
            }
        case .lines(var cutter, var lines):
            var elements: [SplitElement] = []
            cutter.finish(into: &elements)
            // A last line without its end may be a part of one.
            try takeLines(elements, &lines, isDamage: true, take)
        case .flows(let splitter):
            if let problem = splitter.problemAtEnd { try fail(problem, at: .flow, take) }
        case .transactions(let splitter):
            if !splitter.isAtEnd { try fail("the file ends too early", at: .entry, take) }
        }
        state = .failed
    }

    private var isReading: Bool {
        if case .failed = state { false } else { true }
    }

    /// Ends the reading: nothing after this place can be read.
    private mutating func fail(
        _ reason: String, at kind: Kind? = nil, _ take: (Entry) throws -> Void
    ) throws {
        state = .failed
        let place = kind.map { "\($0.rawValue) \(position + 1)" }
        try take(.failure(ImportProblem(reason, place: place, isDamage: true)))
    }

    /// Reads elements each of which is an entry of its own.
    private mutating func takeEach(
        _ elements: [SplitElement], _ kind: Kind, _ take: (Entry) throws -> Void
    ) throws {
        for element in elements {
            position += 1
            do {
                guard case .bytes(let bytes) = element else {
                    throw ImportProblem(
                        "it is longer than \(InterchangeReader.entryByteCountMax >> 20) MiB")
                }
                switch kind {
                case .flow: try FlowImport.read(bytes) { try take(.success($0)) }
                case .entry: try CharlesImport.read(bytes) { try take(.success($0)) }
                }
            } catch let problem as ImportProblem {
                try take(
                    .failure(
                        ImportProblem(
                            problem.message, place: "\(kind.rawValue) \(position)",
                            isDamage: problem.isDamage)))
            }
        }
    }

    private mutating func takeEntry(
        _ element: SplitElement, _ entries: inout HAREntryReader, _ take: (Entry) throws -> Void
    ) throws {
        let isEnd: Bool
        switch element {
        case .bytes, .tooLong: isEnd = true
        case .beforeMessages, .message: isEnd = false
        }
        if isEnd { position += 1 }
        do {
            try entries.receive(element) { try take(.success($0)) }
        } catch let problem as ImportProblem {
            // An entry that has not ended yet is the next one.
            let number = isEnd ? position : position + 1
            try take(.failure(ImportProblem(problem.message, place: "entry \(number)")))
        }
    }

    private mutating func takeLines(
        _ elements: [SplitElement], _ lines: inout LineReader, isDamage: Bool = false,
        _ take: (Entry) throws -> Void
    ) throws {
        for element in elements {
            position += 1
            if case .bytes(let line) = element, !line.contains(where: { $0 > 0x20 }) { continue }
            let entry: Entry
            do throws(ImportProblem) {
                entry = .success(try lines.part(element))
            } catch {
                entry = .failure(
                    ImportProblem(error.message, place: "line \(position)", isDamage: isDamage))
            }
            try take(entry)
        }
    }

    /// Parses the JSON of an entry, a line or a message.
    static func value(_ bytes: [UInt8]) throws(ImportProblem) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONReader(limits: JSONLimits(byteCountMax: entryByteCountMax)).read(bytes)
        } catch {
            throw ImportProblem("it is not JSON: \(error)")
        }
    }
}
