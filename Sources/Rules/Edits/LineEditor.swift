internal import ProxydCharsets
internal import ProxydFilter
public import ProxydHTTPModel
internal import ProxydParameterCoding

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

    /// Applies edits in order; the charset is UTF-8 unless a beginning determines it.
    init(_ edits: LineEdits, _ beginning: LineBeginning? = nil) {
        self.edits = edits
        self.beginning = beginning
    }

    /// Takes a piece of the body, and appends the output for it and for what was waiting.
    public mutating func receive(_ piece: Span<UInt8>, into output: inout [UInt8]) {
        guard beginning != nil else { return receiveLines(piece, into: &output) }
        beginning?.append(piece)
        begin(isEnd: false, into: &output)
    }

    /// Takes what waits for the charset, if that is known now.
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
        var index = start
        while index < piece.count {
            let byte = piece[index]
            if byte == lf || byte == cr { return index }
            index += 1
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

/// The edits of each line of a body, by rule, and the number of lines changed.
struct LineEdits: Sendable {
    private struct OfRule: Sendable {
        let rule: String
        var edits: [(replacement: RegexReplacement, countMax: Int?)]
        var changedCount = 0
        /// The number of lines left unchanged because they are, or would become, too long.
        var tooLongCount = 0
    }

    private var rules: [OfRule] = []
    /// The charset of the lines; nil for UTF-8, and for bytes that are in no known charset.
    private var charset: TextCharset?
    /// Why no line is edited; nil if lines are.
    private var problem: EditResult.NotDone?
    /// The first character of an edited line that the charset lacks.
    private var lacking: UnencodableCharacter?

    mutating func read(in charset: TextCharset) {
        self.charset = charset.charset == .utf8 ? nil : TextCharset(charset.charset)
        problem = charset.charset.hasIndependentLines ? nil : .wideCharset
    }

    var isEmpty: Bool { rules.isEmpty }

    /// Appends an edit of a rule; ignores edits other than replacements.
    mutating func append(_ edit: RuleEdit, of rule: String) {
        guard case .replace(let replacement, let countMax) = edit.change else { return }
        if rules.last?.rule != rule { rules.append(OfRule(rule: rule, edits: [])) }
        rules[rules.count - 1].edits.append((replacement, countMax))
    }

    /// Applies the edits to a line in its charset, and appends the result.
    mutating func change(_ line: Span<UInt8>, byteCountMax: Int, into output: inout [UInt8]) {
        guard problem == nil else {
            return line.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
        guard let charset else {
            return changeText(line, byteCountMax: byteCountMax, into: &output)
        }
        let bytes = line.array
        let text = charset.utf8(of: bytes)
        var edited: [UInt8] = []
        changeText(text.span, byteCountMax: byteCountMax, into: &edited)
        do throws(UnencodableCharacter) {
            output += edited == text ? bytes : try charset.encode(edited, inPlaceOf: bytes)
        } catch {
            lacking = lacking ?? error
            output += bytes
        }
    }

    private mutating func changeText(
        _ line: Span<UInt8>, byteCountMax: Int, into output: inout [UInt8]
    ) {
        var changed: [UInt8]?
        for index in rules.indices {
            let before = changed
            for (replacement, countMax) in rules[index].edits {
                let outcome =
                    changed.map {
                        replacement.replacing(
                            in: $0.span, timesMax: countMax, byteCountMax: byteCountMax)
                    }
                    ?? replacement.replacing(
                        in: line, timesMax: countMax, byteCountMax: byteCountMax)
                switch outcome {
                case .unchanged: break
                case .tooLarge: rules[index].tooLongCount += 1
                case .changed(let bytes, _, _): changed = bytes
                }
            }
            guard let changed, changed != before else { continue }
            if before != nil || !line.isSame(as: changed) { rules[index].changedCount += 1 }
        }
        if let changed {
            output += changed
        } else {
            line.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
    }

    /// Counts a line that is too long for all rules.
    mutating func noteTooLong() {
        guard problem == nil else { return }
        for index in rules.indices { rules[index].tooLongCount += 1 }
    }

    var applied: [AppliedRule] {
        rules.map { rule in
            var outcomes: [RuleOutcome] = []
            if rule.changedCount > 0 {
                outcomes.append(.changed("body, lines: \(rule.changedCount)"))
            }
            if rule.tooLongCount > 0 {
                outcomes.append(.notDone(EditResult.NotDone.tooLarge.reason))
            }
            if let problem { outcomes.append(.notDone(problem.reason)) }
            if let lacking { outcomes.append(.notDone(EditResult.NotDone.lacking(lacking).reason)) }
            let (word, detail) = RuleOutcome.summary(of: outcomes)
            return AppliedRule(rule: rule.rule, phase: .response, outcome: word, detail: detail)
        }
    }
}

extension Span<UInt8> {
    fileprivate func isSame(as bytes: [UInt8]) -> Bool {
        count == bytes.count && withUnsafeBufferPointer { $0.elementsEqual(bytes) }
    }
}

/// The start of a streaming body, until it determines the charset of its lines.
///
/// A document may declare its charset in its first 1,024 bytes, which therefore wait, as in
/// browsers, unless the charset is declared elsewhere. The answer does not depend on how the body
/// is divided.
struct LineBeginning: Sendable {
    private static let declarationByteCountMax = 1024
    private static let lf: UInt8 = 0x0A

    private(set) var bytes: [UInt8] = []
    private let label: String?
    private let syntax: DocumentSyntax

    /// Waits for a body with this Content-Type.
    init(_ type: MediaType?) {
        label = type?.charset
        syntax = type.flatMap { BodyKind(declared: $0) }?.syntax ?? .plain
    }

    mutating func append(_ piece: Span<UInt8>) {
        piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// The charset; nil if later bytes may determine it.
    func charset(isEnd: Bool) -> TextCharset? {
        if mayBeginMark, !isEnd { return nil }
        if isDeclared { return TextCharset(of: bytes.span, label: label, syntax: syntax) }
        let isAll = isEnd || bytes.count >= LineBeginning.declarationByteCountMax
        let lines = isAll ? bytes.count : bytes.lastIndex(of: LineBeginning.lf).map { $0 + 1 } ?? 0
        let start = bytes.prefix(min(lines, LineBeginning.declarationByteCountMax))
        let found = TextCharset(of: Array(start).span, syntax: syntax)
        // Later bytes cannot be known: text without a declaration is UTF-8.
        if found.origin == .document { return found }
        return isAll ? TextCharset(.utf8) : nil
    }

    /// Whether the bytes may be the start of a byte order mark.
    private var mayBeginMark: Bool {
        let marks: [[UInt8]] = [[0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE]]
        return marks.contains { bytes.count < $0.count && $0.starts(with: bytes) }
    }

    /// Whether the charset is known without a declaration in the document.
    private var isDeclared: Bool {
        if TextCharset.byteOrderMark(bytes.span) != nil { return true }
        if label.flatMap({ Charset(label: $0) }) != nil { return true }
        switch syntax {
        case .html, .xml, .css: return false
        case .plain, .json, .eventStream: return true
        }
    }
}
