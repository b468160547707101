internal import ProxydCharsets
public import ProxydHTTPModel

/// Replaces regular expression matches in a body, line by line, while it streams; performs no I/O.
/// The output does not depend on how the body is divided into pieces.
///
/// ```
///        ┌──byte──┐                ┌─byte─┐
///        ▼        │                ▼      │
/// in a line: kept ──64 KiB──▶ too long: goes on as it is
///        ▲                         │
///        └───────── line end ──────┘
/// ```
/// A line ends with LF, CR LF or CR, like the lines of event streams. The line end is not searched,
/// and is forwarded as it came.
public struct LineEditor: Sendable {
    /// The maximum length of a line that is searched, without its end, in bytes.
    public static let lineByteCountMax = 64 << 10
    /// The maximum length that a line may grow to, in bytes.
    private static let editedByteCountMax = 1 << 20

    private static let lf: UInt8 = 0x0A
    private static let cr: UInt8 = 0x0D

    private var edits: LineEdits
    /// The start of a body whose charset is not known yet.
    private var beginning: LineBeginning?
    /// The start of a line whose end has not arrived.
    private var line: [UInt8] = []
    /// Whether the line is longer than the maximum that is searched.
    private var isTooLong = false
    /// Whether the last byte was a CR: a following LF belongs to the same line end.
    private var isBehindCR = false

    /// Creates an editor that applies edits in their order, to UTF-8 if no beginning finds out the
    /// charset.
    init(_ edits: LineEdits, _ beginning: LineBeginning? = nil) {
        self.edits = edits
        self.beginning = beginning
    }

    /// Takes a piece of the body, and appends the output for it and for what was kept back before.
    public mutating func receive(_ piece: Span<UInt8>, into output: inout [UInt8]) {
        guard beginning != nil else { return receiveLines(piece, into: &output) }
        beginning?.append(piece)
        begin(isEnd: false, into: &output)
    }

    /// Takes what was kept back until the charset is known, if it is known now.
    private mutating func begin(isEnd: Bool, into output: inout [UInt8]) {
        guard let bytes = beginning?.bytes, let charset = beginning?.charset(isEnd: isEnd) else {
            return
        }
        beginning = nil
        edits.read(in: charset)
        // A byte order mark belongs to no line.
        output += bytes.prefix(charset.markByteCount)
        let text = bytes.span.extracting(charset.markByteCount..<bytes.count)
        receiveLines(text, into: &output)
    }

    private mutating func receiveLines(_ piece: Span<UInt8>, into output: inout [UInt8]) {
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

    /// Handles the end of the body: appends its last line, which has no line end.
    public mutating func finish(into output: inout [UInt8]) {
        begin(isEnd: true, into: &output)
        guard !line.isEmpty else { return }
        let empty: [UInt8] = []
        finishLine(with: empty.span, into: &output)
    }

    /// The number of bytes that wait for the end of their line, or for the charset.
    public var keptByteCount: Int { line.count + (beginning?.bytes.count ?? 0) }

    /// What the rules have done so far, in the form that is recorded.
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

    /// Keeps back the start of a line, unless it is too long.
    private mutating func keep(_ piece: Span<UInt8>, into output: inout [UInt8]) {
        guard !piece.isEmpty else { return }
        if !isTooLong, line.count + piece.count <= LineEditor.lineByteCountMax {
            return piece.withUnsafeBufferPointer { line.append(contentsOf: $0) }
        }
        passOn(piece, into: &output)
    }

    /// Handles the rest of a line.
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

    /// Appends a part of a line unchanged.
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
