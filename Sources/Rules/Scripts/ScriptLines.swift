/// Cuts what a program writes into lines, none of which may be too long.
public struct ScriptLines: Sendable {
    /// The most bytes of a line that is an answer.
    public static let answerByteCountMax = ScriptReply.lineByteCountMax

    private let byteCountMax: Int
    private var pending: [UInt8] = []
    private var complete: [[UInt8]] = []
    /// Whether a line was longer than may be; the rest of it is left out.
    public private(set) var hasOverrun = false
    private var isSkipping = false

    /// Nothing yet.
    public init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Takes what was read. A line that is too long is cut.
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

    /// The lines that are complete, without their line ends.
    public mutating func takeLines() -> [[UInt8]] {
        defer { complete = [] }
        return complete
    }

    /// What has come of a line that is not complete.
    public mutating func takeRest() -> [UInt8] {
        defer { pending = [] }
        return pending
    }
}
