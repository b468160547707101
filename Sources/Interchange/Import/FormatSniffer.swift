/// Detects the format of a file from its first member name.
enum FormatSniffer {
    enum Format {
        case har
        case lines
        case unknown
    }

    /// Names that only lines of this program start with, even if another program sorted their
    /// members.
    private static let lineNames: Set<String> = [
        CaptureDetails.name, MessageImport.exchangeName, "id", "client_address", "duration_ms",
        "method", "url", "request", "started_at", "error", "host",
    ]

    /// The format; nil if more bytes are needed.
    static func format(of octets: [UInt8]) -> Format? {
        var rest = octets[...]
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if rest.count < mark.count, mark.starts(with: rest) { return nil }
        if rest.starts(with: mark) { rest = rest.dropFirst(mark.count) }
        rest = skipSpace(rest)
        guard let first = rest.first else { return nil }
        guard first == UInt8(ascii: "{") else { return .unknown }
        rest = skipSpace(rest.dropFirst())
        guard let quote = rest.first else { return nil }
        guard quote == UInt8(ascii: "\"") else { return .unknown }
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        let name = String(decoding: rest[..<end], as: UTF8.self)
        // HAR allows other members before `log`.
        return lineNames.contains(name) ? .lines : .har
    }

    private static func skipSpace(_ octets: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        octets.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }
}
