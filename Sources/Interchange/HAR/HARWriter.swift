public import ProxydCaptureModel
internal import ProxydParameterCoding

/// HAR 1.2: one document, written entry by entry.
public struct HARWriter: ExchangeWriting {
    private let version: String
    private let comment: String?
    private var isFirst = true

    /// A writer that names this version of the program, and says a comment about the whole log.
    public init(version: String, comment: String? = nil) {
        self.version = version
        self.comment = comment
    }

    /// The log up to its first entry.
    public mutating func beginning() -> [UInt8] {
        let creator = JSONValue.members([
            ("name", .string("proxyd")), ("version", .string(version)),
        ])
        var octets = Array(#"{"log":{"version":"1.2","creator":"#.utf8)
        JSONText.write(creator, into: &octets)
        if let comment {
            octets += #","comment":"#.utf8
            JSONText.write(.string(comment), into: &octets)
        }
        return octets + Array(#","entries":["#.utf8)
    }

    /// One entry on a line of its own.
    public mutating func octets(of captured: CapturedExchange) -> [UInt8] {
        var octets: [UInt8] = isFirst ? [0x0A] : [0x2C, 0x0A]
        isFirst = false
        JSONText.write(HAREntry.value(captured), into: &octets)
        return octets
    }

    /// The end of the log.
    public mutating func ending() -> [UInt8] { Array("\n]}}\n".utf8) }
}
