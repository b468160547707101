/// Builds a `JSONValue` during parsing.
struct JSONTreeBuilder: JSONHandler {
    private struct Frame {
        let isObject: Bool
        var name = ""
        var elements: [JSONValue] = []
        var members: [JSONValue.Member] = []
    }

    private var frames: [Frame] = []
    private(set) var root = JSONValue.null

    var isFull: Bool { false }

    mutating func beginObject() { frames.append(Frame(isObject: true)) }
    mutating func endObject() { endContainer() }
    mutating func beginArray() { frames.append(Frame(isObject: false)) }
    mutating func endArray() { endContainer() }

    mutating func name(_ token: JSONStringToken, in bytes: Span<UInt8>) {
        guard !frames.isEmpty else { return }
        frames[frames.count - 1].name = token.text(in: bytes)
    }

    mutating func string(_ token: JSONStringToken, in bytes: Span<UInt8>) {
        add(.string(token.text(in: bytes)))
    }

    mutating func number(_ range: Range<Int>, in bytes: Span<UInt8>) {
        let digits = bytes.extracting(range)
        add(.number(digits.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }))
    }

    mutating func bool(_ value: Bool) { add(.bool(value)) }
    mutating func null() { add(.null) }

    private mutating func endContainer() {
        guard let frame = frames.popLast() else { return }
        add(frame.isObject ? .object(frame.members) : .array(frame.elements))
    }

    private mutating func add(_ value: JSONValue) {
        guard let top = frames.indices.last else {
            root = value
            return
        }
        if frames[top].isObject {
            frames[top].members.append(.init(name: frames[top].name, value: value))
        } else {
            frames[top].elements.append(value)
        }
    }
}
