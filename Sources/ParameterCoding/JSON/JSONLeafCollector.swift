/// Receives the leaves of a JSON text during parsing.
protocol JSONLeafSink {
    /// Whether no further leaves are accepted.
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

    init(_ sink: Sink) {
        self.sink = sink
    }

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
        sink.add(
            digits.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }, at: path)
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
