internal import ProxydParameterCoding

/// Finds the lines of a JSON text as indented text or as a tree, whatever its own layout is. Never
/// fails: anything that is not JSON is shown as it is.
struct JSONScanner: LineScanner {
    /// How many nested objects and arrays have their elements counted; deeper ones have no indexes.
    private static let frameCountMax = 128
    /// How much white space is searched for a comma, in bytes.
    private static let blankCountMax = 1_000

    private struct Frame: Sendable {
        let isArray: Bool
        var elementIndex = 0
    }

    /// A folded object or array that is being skipped.
    fileprivate struct Fold: Sendable {
        var line: JSONLine
        var tokenizer = JSONTokenizer()
        var depth = 1
        var count = 0
        var hasContent = false
        var isEnded = false
    }

    private enum Mode: Sendable {
        case normal
        /// The previous line ended inside a string.
        case inString
        case folded(Fold)
    }

    /// Whether closing brackets are separate lines, and commas are part of lines.
    let keepsClosers: Bool
    var folding = JSONFolding()
    private var frames: [Frame] = []
    private var deeperCount = 0
    private var mode = Mode.normal

    init(keepsClosers: Bool) { self.keepsClosers = keepsClosers }

    private var depth: Int { frames.count + deeperCount }

    mutating func next(_ bytes: Span<UInt8>, at offset: Int, isEnd: Bool) -> ScanResult<JSONLine> {
        switch mode {
        case .normal: normal(bytes, offset, isEnd)
        case .inString: restOfString(bytes, offset, isEnd)
        case .folded(let fold): folded(fold, bytes, offset, isEnd)
        }
    }

    // MARK: Lines

    private mutating func normal(
        _ bytes: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<JSONLine> {
        var blankCount = 0
        while blankCount < bytes.count, Byte.isJSONWhitespace(bytes[blankCount]) {
            blankCount += 1
        }
        if blankCount > 0 { return .passed(byteCount: blankCount) }
        if bytes.isEmpty { return isEnd ? .ended : .needsMore }
        var position = 0
        var hasName = false
        while true {
            guard let token = JSONTokenizer.token(in: bytes, from: position) else {
                guard isEnd || bytes.count - position > JSONScanner.blankCountMax else {
                    return .needsMore
                }
                return value(offset, position)
            }
            guard token.isEnd else { return unfinished(token.kind, bytes, offset, isEnd) }
            if token.range.upperBound > TextScanner.lineByteCountMax {
                return cut(bytes, offset, isInString: token.kind == .string)
            }
            switch token.kind {
            case .opener: return opener(token, bytes, offset, isEnd)
            case .closer where position == 0: return closer(bytes, offset, isEnd)
            case .comma where position == 0: return comma(offset)
            case .closer, .comma: return value(offset, position)
            case .colon:
                position = token.range.upperBound
                hasName = true
            case .string, .scalar:
                position = token.range.upperBound
                if hasName || !isName(bytes, position) {
                    return value(bytes, offset, position, isEnd)
                }
            }
        }
    }

    /// Whether a colon follows; if there are no more bytes yet, the next call decides.
    private func isName(_ bytes: Span<UInt8>, _ position: Int) -> Bool {
        let next = JSONTokenizer.token(in: bytes, from: position)
        return next.map { $0.kind == .colon } ?? true
    }

    private mutating func value(_ offset: Int, _ end: Int) -> ScanResult<JSONLine> {
        .line(line(.value, offset, end), byteCount: end)
    }

    private mutating func value(
        _ bytes: Span<UInt8>, _ offset: Int, _ position: Int, _ isEnd: Bool
    ) -> ScanResult<JSONLine> {
        guard let end = commaEnd(bytes, position, isEnd) else { return .needsMore }
        return value(offset, end)
    }

    private mutating func unfinished(
        _ kind: JSONTokenizer.Kind, _ bytes: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<JSONLine> {
        if bytes.count > TextScanner.lineByteCountMax {
            return cut(bytes, offset, isInString: kind == .string)
        }
        return isEnd ? value(offset, bytes.count) : .needsMore
    }

    private mutating func cut(
        _ bytes: Span<UInt8>, _ offset: Int, isInString: Bool
    ) -> ScanResult<JSONLine> {
        let end = JSONScanner.boundary(bytes, TextScanner.lineByteCountMax)
        if isInString { mode = .inString }
        return value(offset, end)
    }

    private func comma(_ offset: Int) -> ScanResult<JSONLine> {
        if !keepsClosers { return .passed(byteCount: 1) }
        return .line(JSONLine(range: offset..<offset + 1, kind: .value, depth: depth), byteCount: 1)
    }

    private mutating func line(_ kind: JSONLine.Kind, _ offset: Int, _ end: Int) -> JSONLine {
        var line = JSONLine(range: offset..<offset + end, kind: kind, depth: depth)
        if deeperCount == 0, let frame = frames.last, frame.isArray {
            line.elementIndex = frame.elementIndex
            frames[frames.count - 1].elementIndex += 1
        }
        return line
    }

    // MARK: Objects and arrays

    private mutating func opener(
        _ token: JSONTokenizer.Token, _ bytes: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<JSONLine> {
        let end = token.range.upperBound
        let next = JSONTokenizer.token(in: bytes, from: end)
        if next == nil, !isEnd, bytes.count - end <= JSONScanner.blankCountMax { return .needsMore }
        if let next, next.kind == .closer {
            return value(bytes, offset, next.range.upperBound, isEnd)
        }
        let isFolded = folding.isFolded(at: offset, depth: depth)
        let line = line(.open, offset, end)
        if isFolded {
            mode = .folded(Fold(line: line))
            return .passed(byteCount: end)
        }
        if frames.count < JSONScanner.frameCountMax {
            frames.append(Frame(isArray: bytes[end - 1] == UInt8(ascii: "[")))
        } else {
            deeperCount += 1
        }
        return .line(line, byteCount: end)
    }

    private mutating func closer(
        _ bytes: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<JSONLine> {
        guard let end = commaEnd(bytes, 1, isEnd) else { return .needsMore }
        if deeperCount > 0 {
            deeperCount -= 1
        } else {
            _ = frames.popLast()
        }
        if !keepsClosers { return .passed(byteCount: end) }
        return .line(
            JSONLine(range: offset..<offset + end, kind: .close, depth: depth), byteCount: end)
    }

    private mutating func folded(
        _ fold: Fold, _ bytes: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<JSONLine> {
        var fold = fold
        if !fold.isEnded {
            let passed = fold.pass(bytes)
            if passed > 0 || !isEnd {
                mode = .folded(fold)
                return passed > 0 ? .passed(byteCount: passed) : .needsMore
            }
        }
        guard let end = commaEnd(bytes, 0, isEnd) else { return .needsMore }
        mode = .normal
        fold.line.kind = .folded(count: fold.elementCount, isCut: !fold.isEnded)
        return .line(fold.line, byteCount: end)
    }

    // MARK: Split strings

    private mutating func restOfString(
        _ bytes: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<JSONLine> {
        var line = JSONLine(
            range: offset..<offset, kind: .value, depth: depth, startsInString: true)
        var end = bytes.count
        if let quote = JSONTokenizer.stringEnd(in: bytes, from: 0),
            quote <= TextScanner.lineByteCountMax
        {
            guard let behind = commaEnd(bytes, quote, isEnd) else { return .needsMore }
            mode = .normal
            end = behind
        } else if bytes.count > TextScanner.lineByteCountMax {
            end = JSONScanner.boundary(bytes, TextScanner.lineByteCountMax)
        } else if !isEnd {
            return .needsMore
        } else {
            mode = .normal
            if bytes.isEmpty { return .ended }
        }
        line.range = offset..<offset + end
        return .line(line, byteCount: end)
    }

    /// A position to split at that is not inside a character or an escape.
    private static func boundary(_ bytes: Span<UInt8>, _ index: Int) -> Int {
        var cut = min(index, bytes.count - 1)
        while cut > 1, index - cut < 3, bytes[cut] & 0xC0 == 0x80 { cut -= 1 }
        var backslashCount = 0
        while backslashCount < cut - 1, bytes[cut - 1 - backslashCount] == UInt8(ascii: "\\") {
            backslashCount += 1
        }
        return max(1, backslashCount % 2 == 1 ? cut - 1 : cut)
    }

    /// The end of a value including a following comma, or nil if more bytes are needed to decide.
    private func commaEnd(_ bytes: Span<UInt8>, _ position: Int, _ isEnd: Bool) -> Int? {
        if let next = JSONTokenizer.token(in: bytes, from: position) {
            return next.kind == .comma ? next.range.upperBound : position
        }
        return isEnd || bytes.count - position > JSONScanner.blankCountMax ? position : nil
    }
}

extension JSONScanner.Fold {
    /// The number of members or elements so far.
    fileprivate var elementCount: Int { count + (hasContent ? 1 : 0) }

    /// Skips bytes up to the end of the folded value; returns how many.
    fileprivate mutating func pass(_ bytes: Span<UInt8>) -> Int {
        var index = 0
        while !isEnded, let token = tokenizer.next(in: bytes, from: &index) {
            switch token.kind {
            case .opener: depth &+= 1
            case .closer:
                depth &-= 1
                isEnded = depth == 0
            case .comma where depth == 1: count &+= 1
            case .comma, .colon, .string, .scalar: break
            }
            hasContent = hasContent || !isEnded
        }
        return index
    }
}

struct JSONLine: ScannedLine {
    enum Kind: Sendable, Hashable {
        /// A value with its name, or the rest of a string that was split.
        case value
        case open
        case close
        /// A folded container, with the number of its members or elements in the available body.
        case folded(count: Int, isCut: Bool)
    }

    var range: Range<Int>
    var kind: Kind
    /// The number of objects and arrays that contain the line.
    var depth: Int
    /// The index in the array; nil in objects, and if nested too deeply to count.
    var elementIndex: Int?
    /// Whether it starts inside a string that was split.
    var startsInString = false
}

/// Which objects and arrays are folded.
struct JSONFolding: Sendable {
    /// Containers at this depth and deeper are folded; nil folds none. The outermost has depth 0.
    var depth: Int?
    /// The start offsets of containers whose state is the opposite of what their depth says.
    var exceptions: Set<Int> = []

    func isFolded(at offset: Int, depth: Int) -> Bool {
        let isDeep = self.depth.map { depth >= $0 } ?? false
        return isDeep != exceptions.contains(offset)
    }
}
