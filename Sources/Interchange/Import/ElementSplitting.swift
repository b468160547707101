internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// One entry of a file, or a part of one, split off but not parsed yet.
package enum SplitElement {
    /// The bytes of an entry, without those of its messages if it has any.
    case bytes([UInt8])
    /// The part of an entry before its messages, up to the opening bracket of their array.
    case beforeMessages([UInt8])
    /// A message of an entry whose end is still to come.
    case message([UInt8])
    /// The entry exceeds the maximum length; its bytes were skipped.
    case tooLong
}

/// The bytes of an element, dropped if there are too many.
private struct ElementBytes {
    let countMax: Int
    private(set) var bytes: [UInt8] = []
    var isTooLong = false

    mutating func append(_ more: Span<UInt8>) {
        guard !isTooLong else { return }
        guard bytes.count + more.count <= countMax else {
            isTooLong = true
            bytes = []
            return
        }
        more.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// Returns the bytes for the next element to begin; nil if there were too many.
    mutating func take() -> [UInt8]? {
        defer { self = ElementBytes(countMax: countMax) }
        return isTooLong ? nil : bytes
    }

    mutating func finish() -> SplitElement { take().map { .bytes($0) } ?? .tooLong }
}

/// Splits the elements of `log.entries` from a streamed JSON document. It tracks names and
/// brackets only; the reader of an element checks whether it is valid JSON.
///
/// ```
/// { "log": { …, "entries": [ element , element ] … } }
/// depth 1        2            3 ─▶ 4 …
/// ```
///
/// An element's `_webSocketMessages` are split as well, since there may be a million of them:
///
/// ```
/// { …, "_webSocketMessages": [ message , message ], … }
///   4                         5 ─▶ 6 …            4
/// ```
struct HARSplitter {
    private enum State: Equatable {
        /// Outside `log.entries`.
        case outside
        /// Between elements of `log.entries`.
        case between
        case element
        case betweenMessages
        case message
    }

    private static let entryDepth = 3
    private static let messageDepth = 5

    private static let nameByteCountMax = 64

    private var state = State.outside
    private var depth = 0
    private var tokenizer = JSONTokenizer()
    /// The start of the last string read at a depth where names matter.
    private var lastString: [UInt8] = []
    /// The name of the current member at depths 1 and 2.
    private var names: [[UInt8]] = [[], []]
    private var hasFoundEntries = false
    private var element: ElementBytes
    private var memberName: [UInt8] = []
    private var message: ElementBytes

    init(byteCountMax: Int) {
        element = ElementBytes(countMax: byteCountMax)
        message = element
    }

    var isInElement: Bool { state == .element || state == .message || state == .betweenMessages }

    /// The error if the document ends here; nil if it is complete.
    var problemAtEnd: String? {
        if state != .outside { return "the file ends too early" }
        return hasFoundEntries ? nil : "it has no log.entries"
    }

    mutating func receive(_ bytes: Span<UInt8>) -> [SplitElement] {
        var elements: [SplitElement] = []
        var start = 0
        var position = 0
        while let token = tokenizer.next(in: bytes, from: &position) {
            if token.kind == .string { keep(token, of: bytes) }
            guard token.isStart else { continue }
            let index = token.range.lowerBound
            let byte = bytes[index]
            switch state {
            case .outside: outside(byte)
            case .between, .betweenMessages:
                between(byte)
                if state == .element || state == .message { start = index }
            case .element:
                if beginsMessages(byte) {
                    append(bytes.extracting(start..<(index + 1)))
                    beginMessages(into: &elements)
                } else {
                    guard let isPart = endsElement(byte, HARSplitter.entryDepth) else { continue }
                    append(bytes.extracting(start..<(isPart ? index + 1 : index)))
                    finishElement(into: &elements)
                    if !isPart { between(byte) }
                    // A stray bracket; the reader will reject the element.
                    if state == .element { start = index }
                }
            case .message:
                guard let isPart = endsElement(byte, HARSplitter.messageDepth) else { continue }
                append(bytes.extracting(start..<(isPart ? index + 1 : index)))
                finishMessage(into: &elements)
                if !isPart { between(byte) }
                if state == .element || state == .message { start = index }
            }
        }
        if state == .element || state == .message { append(bytes.extracting(start..<bytes.count)) }
        return elements
    }

    // MARK: Names

    /// Keeps a string, or a part of one, if it may be a name.
    private mutating func keep(_ token: JSONTokenizer.Token, of bytes: Span<UInt8>) {
        if token.isStart { lastString.removeAll(keepingCapacity: true) }
        guard state == .outside ? depth <= 2 : state == .element && depth == 4 else { return }
        let start = token.range.lowerBound + (token.isStart ? 1 : 0)
        let room = HARSplitter.nameByteCountMax - lastString.count
        let end = min(token.range.upperBound - (token.isEnd ? 1 : 0), start + room)
        for index in start..<end { lastString.append(bytes[index]) }
    }

    // MARK: Places

    private mutating func outside(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: ":") where depth == 1 || depth == 2: names[depth - 1] = lastString
        case UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "["):
            depth += 1
            guard depth == 3, names[0].elementsEqual("log".utf8),
                names[1].elementsEqual("entries".utf8)
            else { return }
            hasFoundEntries = true
            state = .between
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth = max(0, depth - 1)
            if depth == 1 { names[1] = [] }
        default: break
        }
    }

    /// Processes a token between entries, or between the messages of one.
    private mutating func between(_ byte: UInt8) {
        let isInEntry = state == .betweenMessages
        switch byte {
        case UInt8(ascii: ","): break
        case UInt8(ascii: "]"):
            state = isInEntry ? .element : .outside
            depth -= 1
        default:
            state = isInEntry ? .message : .element
            memberName = isInEntry ? memberName : []
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
        }
    }

    /// Processes a token of an entry or a message. Returns nil while the element continues; at its
    /// end, returns whether the token belongs to the element, which is true for its own bracket and
    /// false for a delimiter after a value without brackets.
    private mutating func endsElement(_ byte: UInt8, _ listDepth: Int) -> Bool? {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if depth == listDepth { return false }
            depth -= 1
            return depth == listDepth ? true : nil
        case UInt8(ascii: ":"): if depth == 4 { memberName = lastString }
        case UInt8(ascii: ","):
            if depth == 4 { memberName = [] }
            return depth == listDepth ? false : nil
        default: break
        }
        return nil
    }

    // MARK: Messages

    private func beginsMessages(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "[") && depth == 4
            && memberName.elementsEqual(HARMessage.memberName.utf8)
    }

    private mutating func beginMessages(into elements: inout [SplitElement]) {
        state = .betweenMessages
        depth += 1
        if !element.isTooLong { elements.append(.beforeMessages(element.bytes)) }
    }

    private mutating func finishMessage(into elements: inout [SplitElement]) {
        if let bytes = message.take(), !element.isTooLong {
            elements.append(.message(bytes))
        } else {
            // A message that is too long makes its entry too long.
            element.isTooLong = true
        }
        state = .betweenMessages
    }

    // MARK: Elements

    private mutating func append(_ bytes: Span<UInt8>) {
        if state == .message { message.append(bytes) } else { element.append(bytes) }
    }

    private mutating func finishElement(into elements: inout [SplitElement]) {
        elements.append(element.finish())
        state = .between
    }
}

/// Splits the elements of the array that a streamed JSON document is. The reader of an element
/// checks whether it is valid JSON.
struct ArraySplitter {
    private var tokenizer = JSONTokenizer()
    private var depth = 0
    private var element: ElementBytes
    private var isInElement = false
    private var hasBegun = false
    /// Whether the document is not an array.
    private(set) var isBroken = false
    private(set) var isAtEnd = false

    init(byteCountMax: Int) { element = ElementBytes(countMax: byteCountMax) }

    mutating func receive(_ bytes: Span<UInt8>) -> [SplitElement] {
        var elements: [SplitElement] = []
        var start = 0
        var position = 0
        while !isAtEnd, !isBroken, let token = tokenizer.next(in: bytes, from: &position) {
            guard token.isStart else { continue }
            let index = token.range.lowerBound
            // A byte order mark is a scalar.
            if !hasBegun, token.kind != .scalar {
                hasBegun = true
                isBroken = bytes[index] != UInt8(ascii: "[")
                if isBroken { return elements }
            }
            if depth == 1, !isInElement, token.kind != .comma, token.kind != .closer {
                isInElement = true
                start = index
            }
            switch token.kind {
            case .opener: depth += 1
            case .closer where depth <= 1:
                finish(bytes.extracting(min(start, index)..<index), into: &elements)
                isAtEnd = true
            case .closer:
                depth -= 1
                if depth == 1 { finish(bytes.extracting(start..<(index + 1)), into: &elements) }
            case .comma where depth == 1:
                finish(bytes.extracting(min(start, index)..<index), into: &elements)
            case .comma, .colon, .string, .scalar: break
            }
        }
        if isInElement { element.append(bytes.extracting(start..<bytes.count)) }
        return elements
    }

    private mutating func finish(_ rest: Span<UInt8>, into elements: inout [SplitElement]) {
        guard isInElement else { return }
        element.append(rest)
        elements.append(element.finish())
        isInElement = false
    }
}

/// Splits a stream of bytes into lines of limited length.
package struct LineCutter {
    private var line: ElementBytes

    package init(byteCountMax: Int) { line = ElementBytes(countMax: byteCountMax) }

    package mutating func receive(_ bytes: Span<UInt8>) -> [SplitElement] {
        var elements: [SplitElement] = []
        var start = 0
        while true {
            let end = ByteScan.firstIndex(of: 0x0A, in: bytes, from: start)
            line.append(bytes.extracting(start..<end))
            guard end < bytes.count else { return elements }
            elements.append(line.finish())
            start = end + 1
        }
    }

    /// Returns the last line if it does not end in LF.
    package mutating func finish() -> SplitElement? {
        line.bytes.isEmpty && !line.isTooLong ? nil : line.finish()
    }
}
