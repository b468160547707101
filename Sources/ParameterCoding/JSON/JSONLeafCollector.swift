/// Turns the leaves of a JSON text into parameters while it is read: no tree is built.
struct JSONLeafCollector: JSONHandler {
    private(set) var collector: ParameterCollector
    private var path = JSONPath()

    init(_ collector: ParameterCollector) {
        self.collector = collector
    }

    var isFull: Bool { collector.isFull }

    mutating func beginObject() { path.beginContainer(isObject: true) }
    mutating func beginArray() { path.beginContainer(isObject: false) }

    mutating func endObject() {
        if path.endContainer() { add("{}") }
    }

    mutating func endArray() {
        if path.endContainer() { add("[]") }
    }

    mutating func name(_ token: JSONStringToken, in octets: Span<UInt8>) {
        if token.hasEscapes {
            let unescaped = token.unescaped(in: octets)
            path.enterMember(unescaped.span)
        } else {
            path.enterMember(octets.extracting(token.range))
        }
    }

    mutating func string(_ token: JSONStringToken, in octets: Span<UInt8>) {
        path.enterElement()
        add(token.text(in: octets))
    }

    mutating func number(_ range: Range<Int>, in octets: Span<UInt8>) {
        path.enterElement()
        let digits = octets.extracting(range)
        add(digits.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
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
        collector.add(.json, path.text, value)
    }
}
