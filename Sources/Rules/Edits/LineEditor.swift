public import ProxydHTTPModel

/// Replaces what expressions find in a body, line by line, while it flows: no I/O. Whatever pieces
/// it comes in, what goes on is the same.
///
/// ```
///        ┌──byte──┐                ┌─byte─┐
///        ▼        │                ▼      │
/// in a line: kept ──64 KiB──▶ too long: goes on as it is
///        ▲                         │
///        └───────── line end ──────┘
/// ```
/// A line ends with LF, CR LF or CR, as those of event streams do. Its end is no part of what is
/// searched, and goes on as it came.
public struct LineEditor: Sendable {
    /// The most bytes of a line that is searched, without its end.
    public static let lineByteCountMax = 64 << 10
    /// The most bytes that a line may grow to.
    private static let editedByteCountMax = 1 << 20

    private static let lf: UInt8 = 0x0A
    private static let cr: UInt8 = 0x0D

    private var edits: LineEdits
    /// The beginning of a line whose end has not come.
    private var line: [UInt8] = []
    /// Whether the line has more bytes than are searched.
    private var isTooLong = false
    /// Whether the last byte was a CR: an LF behind it ends the same line.
    private var isBehindCR = false

    /// An editor that makes edits in their order.
    init(_ edits: LineEdits) { self.edits = edits }

    /// Takes a piece of the body, and appends what goes on of it, and of what was kept back before.
    public mutating func receive(_ piece: Span<UInt8>, into output: inout [UInt8]) {
        var start = 0
        if isBehindCR, !piece.isEmpty {
            isBehindCR = false
            if piece[0] == LineEditor.lf {
                output.append(LineEditor.lf)
                start = 1
            }
        }
        while let end = LineEditor.lineEnd(in: piece, from: start) {
            finishLine(with: piece.extracting(start..<end), into: &output)
            output.append(piece[end])
            start = end + 1
            guard piece[end] == LineEditor.cr else { continue }
            if start == piece.count {
                isBehindCR = true
            } else if piece[start] == LineEditor.lf {
                output.append(LineEditor.lf)
                start += 1
            }
        }
        keep(piece.extracting(start..<piece.count), into: &output)
    }

    /// The body has ended: appends its last line, which has no end.
    public mutating func finish(into output: inout [UInt8]) {
        guard !line.isEmpty else { return }
        let empty: [UInt8] = []
        finishLine(with: empty.span, into: &output)
    }

    /// How many bytes of a line wait for its end.
    public var keptByteCount: Int { line.count }

    /// What the rules did so far, as it is recorded.
    public var applied: [AppliedRule] { edits.applied }

    private static func lineEnd(in piece: Span<UInt8>, from start: Int) -> Int? {
        var place = start
        while place < piece.count {
            let byte = piece[place]
            if byte == lf || byte == cr { return place }
            place += 1
        }
        return nil
    }

    /// Keeps the beginning of a line back, unless it is too long.
    private mutating func keep(_ piece: Span<UInt8>, into output: inout [UInt8]) {
        guard !piece.isEmpty else { return }
        if !isTooLong, line.count + piece.count <= LineEditor.lineByteCountMax {
            return piece.withUnsafeBufferPointer { line.append(contentsOf: $0) }
        }
        passOn(piece, into: &output)
    }

    /// The rest of a line has come.
    private mutating func finishLine(with rest: Span<UInt8>, into output: inout [UInt8]) {
        if isTooLong || line.count + rest.count > LineEditor.lineByteCountMax {
            passOn(rest, into: &output)
        } else if line.isEmpty {
            edits.change(rest, byteCountMax: LineEditor.editedByteCountMax, into: &output)
        } else {
            rest.withUnsafeBufferPointer { line.append(contentsOf: $0) }
            var whole: [UInt8] = []
            swap(&whole, &line)
            edits.change(whole.span, byteCountMax: LineEditor.editedByteCountMax, into: &output)
            whole.removeAll(keepingCapacity: true)
            line = whole
        }
        isTooLong = false
    }

    /// Lets a line go on as it is.
    private mutating func passOn(_ piece: Span<UInt8>, into output: inout [UInt8]) {
        if !isTooLong {
            isTooLong = true
            edits.noteTooLong()
            output += line
            line.removeAll(keepingCapacity: true)
        }
        piece.withUnsafeBufferPointer { output.append(contentsOf: $0) }
    }
}
