internal import ProxydCharsets

/// A value of a JSON text without children, and its path.
public struct JSONLeaf: Sendable, Hashable {
    /// The path: names joined with `.`, positions as `[2]`: `a.x[2].y`. Empty if the text is a
    /// single scalar. A name that is empty or contains `.`, `[`, `]` or `"` is a JSON string in
    /// brackets: `a["x.y"]`. `JSONValuePath` parses it.
    public let path: String
    /// The text of a string, the digits of a number, `true` or `false`; nil for null. An empty
    /// array or object is a leaf with the value `[]` or `{}`.
    public let value: String?

    public init(path: String, value: String?) {
        self.path = path
        self.value = value
    }
}

extension JSONValue {
    private enum Visit {
        case value(JSONValue)
        case member(Member)
        case end(isObject: Bool)
    }

    /// The leaves in order: at most `countMax`, and none after the leaf whose path and value bring
    /// the total text to `textByteCountMax` bytes.
    public func leaves(countMax: Int = 100_000, textByteCountMax: Int = 16 << 20) -> [JSONLeaf] {
        var leaves: [JSONLeaf] = []
        var textByteCount = 0
        func add(_ path: String, _ value: String?) {
            leaves.append(JSONLeaf(path: path, value: value))
            textByteCount += path.utf8.count + (value?.utf8.count ?? 0)
        }
        var path = JSONPath()
        var visits: [Visit] = [.value(self)]
        while leaves.count < countMax, textByteCount < textByteCountMax,
            let visit = visits.popLast()
        {
            switch visit {
            case .member(let member):
                let name = Array(member.name.utf8)
                path.enterMember(name.span)
                visits.append(.value(member.value))
            case .value(.array(let elements)):
                path.beginContainer(isObject: false)
                visits.append(.end(isObject: false))
                visits.append(contentsOf: elements.reversed().map { .value($0) })
            case .value(.object(let members)):
                path.beginContainer(isObject: true)
                visits.append(.end(isObject: true))
                visits.append(contentsOf: members.reversed().map { .member($0) })
            case .value(let scalar):
                path.enterElement()
                add(path.text, scalar.scalarText)
            case .end(let isObject):
                guard path.endContainer() else { continue }
                add(path.text, isObject ? "{}" : "[]")
            }
        }
        return leaves
    }

    /// The text of a scalar; nil for null.
    private var scalarText: String? {
        switch self {
        case .bool(let value): value ? "true" : "false"
        case .number(let digits): digits
        case .string(let text): text
        case .null, .array, .object: nil
        }
    }
}

/// Finds the values at a path in JSON bodies.
public enum JSONBodyValues {
    /// The values of the leaves at a path as `JSONLeaf` writes it, in the order of the text; nil
    /// for null. There are several if an object repeats a name.
    ///
    /// Never fails: a body that is not JSON has no values, and a truncated text has those that are
    /// complete in it. No tree is built.
    /// - Parameters:
    ///   - path: The path, compared byte for byte.
    ///   - body: The body, with content codings removed.
    public static func values(
        at path: String, in body: Span<UInt8>, contentType: String?,
        limits: JSONLimits = JSONLimits()
    ) -> [String?] {
        let type = contentType.flatMap { MediaType($0) }
        guard !body.isEmpty, case .json = BodyKind.detect(contentType: type, bytes: body) else {
            return []
        }
        return withUTF8(body, type?.charset) { text in
            JSONParser.parsePrefix(
                of: text, limits: limits, into: JSONLeafCollector(JSONValuesAtPath(path))
            ).handler.sink.values
        }
    }

    /// Passes JSON in any charset on as UTF-8.
    static func withUTF8<Result>(
        _ body: Span<UInt8>, _ label: String?, _ read: (Span<UInt8>) -> Result
    ) -> Result {
        let charset = TextCharset(of: body, label: label, syntax: .json, isTruncated: true)
        guard charset.charset != .utf8 else { return read(body) }
        return read(Array(charset.decode(body, isTruncated: true).text.utf8).span)
    }
}

/// Collects the values of the leaves at one path of a JSON text.
struct JSONValuesAtPath: JSONLeafSink {
    /// The maximum number of values; further ones are left out.
    private static let countMax = 1_000

    private(set) var values: [String?] = []
    private let wanted: [UInt8]

    init(_ path: String) { wanted = Array(path.utf8) }

    var isFull: Bool { values.count >= JSONValuesAtPath.countMax }

    func wants(_ path: borrowing JSONPath) -> Bool { path.isAt(wanted) }

    mutating func add(_ value: String?, at path: borrowing JSONPath) { values.append(value) }
}

/// Receives the leaves of a JSON text during parsing.
protocol JSONLeafSink {
    var isFull: Bool { get }
    /// Whether the leaf at a path is accepted; called before its value is decoded.
    func wants(_ path: borrowing JSONPath) -> Bool
    /// Adds a leaf; its value is nil for null.
    mutating func add(_ value: String?, at path: borrowing JSONPath)
}

/// Reports the leaves of a JSON text during parsing, without building a tree.
struct JSONLeafCollector<Sink: JSONLeafSink>: JSONHandler {
    private(set) var sink: Sink
    private var path = JSONPath()

    init(_ sink: Sink) { self.sink = sink }

    var isFull: Bool { sink.isFull }

    mutating func beginObject() { path.beginContainer(isObject: true) }
    mutating func beginArray() { path.beginContainer(isObject: false) }

    mutating func endObject() {
        if path.endContainer() { add("{}") }
    }

    mutating func endArray() {
        if path.endContainer() { add("[]") }
    }

    mutating func name(_ token: JSONStringToken, in bytes: Span<UInt8>) {
        if token.hasEscapes {
            let unescaped = token.unescaped(in: bytes)
            path.enterMember(unescaped.span)
        } else {
            path.enterMember(bytes.extracting(token.range))
        }
    }

    mutating func string(_ token: JSONStringToken, in bytes: Span<UInt8>) {
        path.enterElement()
        if sink.wants(path) { sink.add(token.text(in: bytes), at: path) }
    }

    mutating func number(_ range: Range<Int>, in bytes: Span<UInt8>) {
        path.enterElement()
        guard sink.wants(path) else { return }
        let digits = bytes.extracting(range)
        sink.add(digits.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }, at: path)
    }

    mutating func bool(_ value: Bool) {
        path.enterElement()
        add(value ? "true" : "false")
    }

    mutating func null() {
        path.enterElement()
        add(nil)
    }

    private mutating func add(_ value: String?) {
        if sink.wants(path) { sink.add(value, at: path) }
    }
}

/// The path to the current value, stored as bytes so that a step needs no allocation.
struct JSONPath {
    private struct Frame {
        /// The length of the path to the container itself.
        let baseByteCount: Int
        let isObject: Bool
        var childCount = 0
    }

    /// The first `byteCount` bytes are the path; the rest is left over from longer paths, so that
    /// returning to a container costs nothing.
    private var bytes: [UInt8] = []
    private var byteCount = 0
    private var frames: [Frame] = []

    /// The path of the next or the last value.
    var text: String {
        bytes.withUnsafeBufferPointer {
            String(decoding: $0[..<min(byteCount, $0.count)], as: UTF8.self)
        }
    }

    /// Whether the path of the next or the last value equals this one.
    func isAt(_ wanted: [UInt8]) -> Bool {
        byteCount == wanted.count && bytes.prefix(byteCount).elementsEqual(wanted)
    }

    /// Moves to the member with a name in UTF-8.
    mutating func enterMember(_ name: Span<UInt8>) {
        let top = frames.count &- 1
        guard top >= 0 else { return }
        frames[top].childCount &+= 1
        byteCount = frames[top].baseByteCount
        guard JSONPath.isPlain(name) else { return appendQuoted(name) }
        if byteCount > 0 { append(0x2E) }
        append(name)
    }

    /// Whether a name needs no quotes: no byte of it would be parsed as part of the path.
    private static func isPlain(_ name: Span<UInt8>) -> Bool {
        for index in name.indices {
            switch name[index] {
            case 0x22, 0x2E, 0x5B, 0x5D: return false
            default: continue
            }
        }
        return !name.isEmpty
    }

    /// The name as a JSON string in brackets: `["a.b"]`.
    private mutating func appendQuoted(_ name: Span<UInt8>) {
        var quoted = Array("[\"".utf8)
        JSONStringText.append(
            name.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) },
            escapingSlashes: false, escapingLineSeparators: false, to: &quoted)
        quoted += "\"]".utf8
        append(quoted.span)
    }

    /// Moves to the next element of an array; in an object, `enterMember` has already moved.
    mutating func enterElement() {
        let top = frames.count &- 1
        guard top >= 0, !frames[top].isObject else { return }
        byteCount = frames[top].baseByteCount
        append(0x5B)
        appendDecimal(frames[top].childCount)
        append(0x5D)
        frames[top].childCount &+= 1
    }

    mutating func beginContainer(isObject: Bool) {
        enterElement()
        frames.append(Frame(baseByteCount: byteCount, isObject: isObject))
    }

    /// Leaves the container; returns true if it was empty.
    mutating func endContainer() -> Bool {
        guard let frame = frames.popLast() else { return false }
        byteCount = frame.baseByteCount
        return frame.childCount == 0
    }

    private mutating func append(_ byte: UInt8) {
        if byteCount < bytes.count {
            bytes[byteCount] = byte
        } else {
            bytes.append(byte)
        }
        byteCount &+= 1
    }

    private mutating func append(_ name: Span<UInt8>) {
        let end = byteCount &+ name.count
        if bytes.count < end {
            bytes.append(contentsOf: repeatElement(0, count: end &- bytes.count))
        }
        let start = byteCount
        bytes.withUnsafeMutableBytes { target in
            let place = UnsafeMutableRawBufferPointer(rebasing: target[start..<end])
            name.withUnsafeBytes { place.copyMemory(from: $0) }
        }
        byteCount = end
    }

    private mutating func appendDecimal(_ number: Int) {
        if number < 10 {
            append(0x30 &+ UInt8(truncatingIfNeeded: number))
        } else {
            for digit in String(number).utf8 { append(digit) }
        }
    }
}
