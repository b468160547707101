public import ProxydHTTPModel
internal import ProxydParameterCoding

/// Reads exchanges from a streamed file: only the current entry, or one of its messages, is kept in
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

    /// Elements that are each an entry of their own.
    private enum Kind: String {
        case flow
        case entry
    }

    private let byteCountMax: Int
    private let files: HARFiles?
    private var unpacker = ImportUnpacker()
    private var state = State.sniffing([])
    private var position = 0

    /// Creates a reader at the start of a file, in this format or in one to be detected.
    public init(_ format: ImportFormat? = nil) {
        self.init(format, byteCountMax: InterchangeReader.entryByteCountMax)
    }

    package init(_ format: ImportFormat? = nil, byteCountMax: Int) {
        self.init(format, byteCountMax: byteCountMax, files: nil)
    }

    init(files: HARFiles) {
        self.init(.har, byteCountMax: InterchangeReader.entryByteCountMax, files: files)
    }

    private init(_ format: ImportFormat?, byteCountMax: Int, files: HARFiles?) {
        self.byteCountMax = byteCountMax
        self.files = files
        if let format, let state = start(of: format) { self.state = state }
    }

    /// The initial state for a format that is read from start to end.
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
    public mutating func receive(_ bytes: [UInt8], _ take: (Entry) throws -> Void) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let text = unpacker.next(&rest)
            try receive(text: text, take)
            guard isReading else { return }
            if let problem = unpacker.problem { return try fail(problem, take) }
        }
    }

    private mutating func receive(text bytes: [UInt8], _ take: (Entry) throws -> Void) throws {
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
            for element in splitter.receive(bytes.span) { try takeEntry(element, &entries, take) }
            state = .har(splitter, entries)
        case .lines(var cutter, var lines):
            state = .failed
            try takeLines(cutter.receive(bytes.span), &lines, take)
            state = .lines(cutter, lines)
        case .flows(var splitter):
            state = .failed
            try takeEach(splitter.receive(bytes.span), .flow, take)
            if let problem = splitter.problem { return try fail(problem, at: .flow, take) }
            state = .flows(splitter)
        case .transactions(var splitter):
            state = .failed
            try takeEach(splitter.receive(bytes.span), .entry, take)
            if splitter.isBroken { return try fail("it is not an array of transactions", take) }
            state = .transactions(splitter)
        }
    }

    /// Processes the end of the file: passes on the last line, or an error if something is missing.
    public mutating func finish(_ take: (Entry) throws -> Void) throws {
        try receive(text: unpacker.finish(), take)
        // The file may be too short for its format to be detected.
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
            // A last line without its end may be incomplete.
            let rest = cutter.finish().map { [$0] } ?? []
            try takeLines(rest, &lines, isDamage: true, take)
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

    /// Stops reading: nothing after this place can be read.
    private mutating func fail(
        _ reason: String, at kind: Kind? = nil, _ take: (Entry) throws -> Void
    ) throws {
        state = .failed
        let place = kind.map { "\($0.rawValue) \(position + 1)" }
        try take(.failure(ImportProblem(reason, place: place, isDamage: true)))
    }

    /// Reads elements that are each an entry of their own.
    private mutating func takeEach(
        _ elements: [SplitElement], _ kind: Kind, _ take: (Entry) throws -> Void
    ) throws {
        for element in elements {
            position += 1
            do {
                guard case .bytes(let bytes) = element else { throw ImportProblem.tooLong }
                switch kind {
                case .flow: try FlowImport.read(bytes) { try take(.success($0)) }
                case .entry: try CharlesImport.read(bytes) { try take(.success($0)) }
                }
            } catch let problem as ImportProblem {
                try take(.failure(problem.at("\(kind.rawValue) \(position)")))
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
            try take(.failure(problem.at("entry \(number)")))
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

    static func value(_ bytes: [UInt8]) throws(ImportProblem) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONReader(limits: JSONLimits(byteCountMax: entryByteCountMax)).read(bytes)
        } catch {
            throw ImportProblem("it is not JSON: \(error)")
        }
    }
}

/// The formats of files that can be imported.
public enum ImportFormat: String, Sendable, CaseIterable {
    case har
    /// JSON lines as `proxyctl export` writes them.
    case jsonl
    /// Flows as mitmproxy saves them.
    case mitmproxy
    /// A session of Charles, exported as JSON.
    case chlsj
    /// An archive of Fiddler.
    case saz
    /// A packet capture, pcapng or pcap, which tshark reads.
    case pcapng

    /// Whether the format needs random access to the file.
    public var isReadInAnyOrder: Bool { self == .saz || self == .pcapng }

    /// Detects binary formats by the first bytes of a file.
    public static func binary(_ start: [UInt8]) -> ImportFormat? {
        if start.starts(with: [0x50, 0x4B, 3, 4]) || start.starts(with: [0x50, 0x4B, 5, 6]) {
            return .saz
        }
        let marks: [[UInt8]] = [
            [0x0A, 0x0D, 0x0D, 0x0A], [0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4],
            [0x4D, 0x3C, 0xB2, 0xA1], [0xA1, 0xB2, 0x3C, 0x4D],
        ]
        return marks.contains { start.starts(with: $0) } ? .pcapng : nil
    }
}

/// Detects a text's format from its start: HAR and JSON lines by their first member name.
enum FormatSniffer {
    enum Format {
        case known(ImportFormat)
        case unknown(String)
    }

    /// Names that only lines of this program start with, even if their members were sorted.
    private static let lineNames: Set<String> = [
        CaptureDetails.name, MessageImport.exchangeName, "id", "client_address", "duration_ms",
        "method", "url", "request", "started_at", "error", "host",
    ]

    /// The format; nil if more bytes are needed.
    static func format(of bytes: [UInt8]) -> Format? {
        guard bytes.count >= markByteCount else { return nil }
        guard ImportFormat.binary(bytes) == nil, !packings.contains(where: bytes.starts) else {
            return .unknown(packed)
        }
        var rest = skipSpace(bytes[...])
        guard let first = rest.first else { return nil }
        switch first {
        case UInt8(ascii: "{"): break
        case UInt8(ascii: "["): return .known(.chlsj)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return flows(rest)
        case 0xAC: return .unknown(javaObjects)
        default: return .unknown(nothingKnown)
        }
        rest = skipSpace(rest.dropFirst())
        guard let quote = rest.first else { return nil }
        guard quote == UInt8(ascii: "\"") else { return .unknown(nothingKnown) }
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        let name = String(decoding: rest[..<end], as: UTF8.self)
        // HAR allows other members before `log`.
        return .known(lineNames.contains(name) ? .jsonl : .har)
    }

    /// How many bytes identify a binary format.
    static let markByteCount = 4

    static let nothingKnown =
        "it is neither HAR nor JSON lines of exchanges, nor a file of mitmproxy, Charles, Fiddler "
        + "or a packet capture"
    private static let packed =
        "it is a compressed archive or packet capture: unpack it first, as with gunzip"
    /// The first bytes of gzip, bzip2, xz and zstd files.
    private static let packings: [[UInt8]] = [
        [0x1F, 0x8B], Array("BZh".utf8), [0xFD, 0x37, 0x7A, 0x58], [0x28, 0xB5, 0x2F, 0xFD],
    ]
    private static let javaObjects =
        "it may be a .chls session: export it from Charles as JSON Session File (.chlsj) or HAR"

    /// Flows of mitmproxy start with a length and a colon.
    private static func flows(_ rest: ArraySlice<UInt8>) -> Format? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard digits.count <= FlowSplitter.digitCountMax else { return .unknown(nothingKnown) }
        guard let end = rest.dropFirst(digits.count).first else { return nil }
        return end == UInt8(ascii: ":") ? .known(.mitmproxy) : .unknown(nothingKnown)
    }

    private static func skipSpace(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }
}

/// A part of a file, after parsing.
public enum ImportedPart: Sendable {
    case exchange(ImportedExchange)
    /// The next messages of the last exchange.
    case messages([MessageRecord])
    /// Something that is not an exchange and is only counted, such as `TCP flow`.
    case leftOut(String)
}

/// Why an entry of a file was not imported. The text never contains data from the entry.
public struct ImportProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place of the entry: `entry 17`, `line 3`; nil for the file as a whole.
    public var place: String?
    public let message: String

    /// Whether the file itself is damaged here, so that exchanges may be missing.
    public let isDamage: Bool

    /// Whether the exchange passed on last is incomplete: the file ends within its messages.
    public var abandonsLast = false

    init(_ message: String, place: String? = nil, isDamage: Bool = false) {
        self.message = message
        self.place = place
        self.isDamage = isDamage
    }

    static let tooLong = ImportProblem(
        "it is longer than \(InterchangeReader.entryByteCountMax >> 20) MiB")

    func at(_ place: String) -> ImportProblem {
        var problem = self
        problem.place = place
        return problem
    }

    /// `entry 17: it has no URL`.
    public var description: String { place.map { "\($0): \(message)" } ?? message }
}
