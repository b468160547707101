/// Gathers the values of the leaves at one path while a JSON text is read.
struct JSONPathCollector: JSONHandler {
    /// Values beyond these are left out.
    private static let countMax = 1_000

    private(set) var values: [String?] = []
    private let wanted: [UInt8]
    private var path = JSONPath()

    init(_ path: String) { wanted = Array(path.utf8) }

    var isFull: Bool { values.count >= JSONPathCollector.countMax }

    mutating func beginObject() { path.beginContainer(isObject: true) }
    mutating func beginArray() { path.beginContainer(isObject: false) }

    mutating func endObject() {
        if path.endContainer() { add { "{}" } }
    }

    mutating func endArray() {
        if path.endContainer() { add { "[]" } }
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
        guard path.isAt(wanted) else { return }
        values.append(token.text(in: octets))
    }

    mutating func number(_ range: Range<Int>, in octets: Span<UInt8>) {
        path.enterElement()
        guard path.isAt(wanted) else { return }
        let digits = octets.extracting(range)
        values.append(digits.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
    }

    mutating func bool(_ value: Bool) {
        path.enterElement()
        add { value ? "true" : "false" }
    }

    mutating func null() {
        path.enterElement()
        add { nil }
    }

    private mutating func add(_ value: () -> String?) {
        if path.isAt(wanted) { values.append(value()) }
    }
}
