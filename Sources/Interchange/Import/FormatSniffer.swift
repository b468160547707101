/// Detects the format of a text from its first bytes: a HAR document and JSON lines by their first
/// member name.
enum FormatSniffer {
    enum Format {
        case known(ImportFormat)
        case unknown(String)
    }

    /// Names that only lines of this program start with, even if another program sorted their
    /// members.
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

    /// How many bytes tell formats that are not text.
    static let markByteCount = 4

    static let nothingKnown =
        "it is neither HAR nor JSON lines of exchanges, nor a file of mitmproxy, Charles, Fiddler "
        + "or a packet capture"
    private static let packed =
        "it is a compressed archive or packet capture: unpack it first, as with gunzip"
    /// How files in gzip, bzip2, xz and zstd start.
    private static let packings: [[UInt8]] = [
        [0x1F, 0x8B], Array("BZh".utf8), [0xFD, 0x37, 0x7A, 0x58], [0x28, 0xB5, 0x2F, 0xFD],
    ]
    private static let javaObjects =
        "it may be a .chls session: export it from Charles as JSON Session File (.chlsj) or HAR"

    /// A length and a colon, with which flows of mitmproxy start.
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
