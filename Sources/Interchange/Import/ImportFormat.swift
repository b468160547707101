/// The formats of files that can be imported.
public enum ImportFormat: String, Sendable, CaseIterable {
    /// HAR 1.2.
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

    /// Whether the format is read from any place of a file, and not from its start to its end.
    public var isReadInAnyOrder: Bool { self == .saz || self == .pcapng }

    /// Detects those formats that are not text by the first bytes of a file.
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
