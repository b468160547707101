/// What client, servers and time do, in order, read from the bytes of an input.
///
/// A byte 0xFF begins a step, the one behind it names it, and what follows up to the next 0xFF
/// belongs to it. So most of an input is HTTP as it is, and single bytes turn one course of events
/// into another.
public struct StreamScript: Sendable {
    /// What one of them does.
    public enum Step: Sendable {
        /// The client sends bytes.
        case clientSends([UInt8])
        /// The client ends its direction.
        case clientEnds
        /// The client resets its connection.
        case clientBreaks
        /// The client reads no more, or again.
        case clientReads(Bool)
        /// A server sends bytes: the newest, or the oldest that is connected.
        case serverSends([UInt8], isOldest: Bool)
        /// The newest server ends its direction.
        case serverEnds(isClean: Bool)
        /// The newest server resets its connection.
        case serverBreaks
        /// The newest server reads no more, or again.
        case serverReads(Bool)
        /// The oldest attempt to connect succeeds.
        case connects
        /// The oldest attempt to connect fails.
        case connectFails
        /// Time goes by.
        case timePasses(seconds: Int64)
        /// The recorder can take no more, or can again.
        case recorderIsFull(Bool)
        /// The proxy is asked to stop.
        case drains
    }

    /// In order.
    public private(set) var steps: [Step] = []

    /// The script of an input.
    public init(_ bytes: ArraySlice<UInt8>) {
        let parts = bytes.split(separator: 0xFF, omittingEmptySubsequences: false)
        guard let first = parts.first else { return }
        if !first.isEmpty { steps.append(.clientSends(Array(first))) }
        for part in parts.dropFirst() {
            guard let name = part.first else { continue }
            steps.append(StreamScript.step(name, Array(part.dropFirst())))
        }
    }

    private static func step(_ name: UInt8, _ rest: [UInt8]) -> Step {
        let number = Int(rest.first ?? 0)
        return switch name {
        case UInt8(ascii: "s"): .serverSends(rest, isOldest: false)
        case UInt8(ascii: "o"): .serverSends(rest, isOldest: true)
        // So much that the other side has to wait.
        case UInt8(ascii: "b"): .clientSends(filler(number))
        case UInt8(ascii: "B"): .serverSends(filler(number), isOldest: false)
        case UInt8(ascii: "e"): .clientEnds
        case UInt8(ascii: "E"): .clientBreaks
        case UInt8(ascii: "q"): .clientReads(false)
        case UInt8(ascii: "Q"): .clientReads(true)
        case UInt8(ascii: "x"): .serverEnds(isClean: true)
        case UInt8(ascii: "X"): .serverEnds(isClean: false)
        case UInt8(ascii: "y"): .serverBreaks
        case UInt8(ascii: "w"): .serverReads(false)
        case UInt8(ascii: "W"): .serverReads(true)
        case UInt8(ascii: "k"): .connects
        case UInt8(ascii: "K"): .connectFails
        case UInt8(ascii: "t"): .timePasses(seconds: Int64(number))
        case UInt8(ascii: "T"): .timePasses(seconds: Int64(number) * 3600)
        case UInt8(ascii: "r"): .recorderIsFull(true)
        case UInt8(ascii: "R"): .recorderIsFull(false)
        case UInt8(ascii: "d"): .drains
        default: .clientSends(rest)
        }
    }

    private static func filler(_ number: Int) -> [UInt8] {
        Array(repeating: UInt8(ascii: "a"), count: number << 12)
    }
}
