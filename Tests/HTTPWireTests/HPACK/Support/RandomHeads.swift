import ProxydHTTPModel
import ProxydTestSupport

@testable import ProxydHTTPWire

/// Random lists of field lines: common names and values often, and any bytes now and then.
struct RandomHeads {
    var random: SplitMix

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    private static let names = [
        ":method", ":path", ":scheme", ":authority", ":status", "accept", "accept-encoding",
        "authorization", "cookie", "content-length", "date", "etag", "set-cookie", "user-agent",
        "x-a", "x-request-id", "x-amz-date", "", "a", "vary", "referer",
    ]
    private static let values = [
        "", "GET", "POST", "/", "/index.html", "http", "https", "200", "404", "gzip, deflate", "a",
        "Mon, 21 Oct 2013 20:13:21 GMT", "0123456789abcdef0123456789abcdef", "<>\"\\^`{|}~",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "\u{FF}\u{1}é",
    ]

    /// A list of up to 12 lines with any codings.
    mutating func list() -> [HPACKLine] {
        (0..<random.below(13)).map { _ in
            HPACKLine(name: name(), value: value(), coding: coding())
        }
    }

    /// A size of a table, often an unusual one.
    mutating func size() -> Int {
        switch random.below(6) {
        case 0: 0
        case 1: random.below(100)
        case 2: 4_096
        case 3: 65_536
        default: random.below(5_000)
        }
    }

    private mutating func name() -> [UInt8] {
        if random.below(12) == 0 {
            return (0..<random.below(30)).map { _ in UInt8(0x61 + random.below(26)) }
        }
        return Array(Self.names[random.below(Self.names.count)].utf8)
    }

    private mutating func value() -> [UInt8] {
        switch random.below(12) {
        case 0: bytes(random.below(300))
        case 1: bytes(random.below(10)) + Array("\(random.below(50))".utf8)
        case 2: [UInt8](repeating: UInt8(random.below(256)), count: random.below(5_000))
        case 3...5: Array("\(random.below(20))".utf8)
        default: Array(Self.values[random.below(Self.values.count)].utf8)
        }
    }

    private mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(random.below(256)) }
    }

    private mutating func coding() -> FieldCoding {
        switch random.below(8) {
        case 0: FieldCoding(.neverIndexed)
        case 1: FieldCoding(.notAdded, hasHuffmanValue: true)
        case 2, 3: FieldCoding(.added)
        case 4, 5: FieldCoding(.indexed)
        default: .text
        }
    }
}
