/// Splits the output of a program into lines of limited length.
public struct ScriptLines: Sendable {
    /// The maximum length of an answer line, in bytes.
    public static let answerByteCountMax = ScriptReply.lineByteCountMax

    private let byteCountMax: Int
    private var pending: [UInt8] = []
    private var complete: [[UInt8]] = []
    /// Whether a line was too long; its rest is dropped.
    public private(set) var hasOverrun = false
    private var isSkipping = false

    /// Creates an empty buffer.
    public init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Takes output of the program. A line that is too long is cut.
    public mutating func append(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while let end = rest.firstIndex(of: 0x0A) {
            keep(rest[..<end])
            if !isSkipping { take() }
            isSkipping = false
            rest = rest[(end + 1)...]
        }
        keep(rest)
    }

    private mutating func keep(_ piece: ArraySlice<UInt8>) {
        guard !isSkipping else { return }
        let room = byteCountMax - pending.count
        pending += piece.prefix(room)
        guard piece.count > room else { return }
        hasOverrun = true
        isSkipping = true
        take()
    }

    private mutating func take() {
        if pending.last == 0x0D { pending.removeLast() }
        complete.append(pending)
        pending = []
    }

    /// Removes and returns the complete lines, without their line ends.
    public mutating func takeLines() -> [[UInt8]] {
        defer { complete = [] }
        return complete
    }

    /// Removes and returns the start of an incomplete line.
    public mutating func takeRest() -> [UInt8] {
        defer { pending = [] }
        return pending
    }
}
