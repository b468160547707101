internal import ProxydCivilTime
internal import ProxydHTTPModel

/// Splits a file of mitmproxy into its flows, which are typed netstrings one after another: a
/// length in decimal digits, a colon, that many bytes, and a byte that names the type.
///
/// ```
/// length ─(:)─▶ payload ─▶ type ─▶ length …
///    └── anything else ──▶ broken ◀──┘
/// ```
struct FlowSplitter {
    private enum State {
        case length(digitCount: Int, value: Int)
        case payload(left: Int)
        /// The payload is too long, and is skipped.
        case skipped(left: Int)
        case type
        case broken
    }

    static let digitCountMax = 10

    private let byteCountMax: Int
    private var state = State.length(digitCount: 0, value: 0)
    private var flow: [UInt8] = []
    private var isTooLong = false
    /// Why nothing more can be read; nil if more can.
    private(set) var problem: String?

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// The error if the file ends here; nil if no flow has started.
    var problemAtEnd: String? {
        switch state {
        case .length(digitCount: 0, value: _): nil
        case .skipped: "it is longer than \(byteCountMax >> 20) MiB"
        default: "the file ends too early"
        }
    }

    mutating func receive(_ bytes: Span<UInt8>) -> [SplitElement] {
        var elements: [SplitElement] = []
        var index = 0
        while index < bytes.count {
            switch state {
            case .length(let digitCount, let value):
                take(bytes[index], digitCount, value)
                index += 1
            case .payload(let left):
                // Memory is allocated for what has arrived, never for an announced length.
                let count = min(left, bytes.count - index)
                bytes.extracting(index..<(index + count)).withUnsafeBufferPointer {
                    flow.append(contentsOf: $0)
                }
                index += count
                state = count == left ? .type : .payload(left: left - count)
            case .skipped(let left):
                let count = min(left, bytes.count - index)
                index += count
                isTooLong = true
                state = count == left ? .type : .skipped(left: left - count)
            case .type:
                guard bytes[index] == FlowValue.Kind.dictionary.rawValue else {
                    fail("it is not a flow")
                    return elements
                }
                elements.append(isTooLong ? .tooLong : .bytes(flow))
                flow = []
                isTooLong = false
                state = .length(digitCount: 0, value: 0)
                index += 1
            case .broken: return elements
            }
        }
        return elements
    }

    private mutating func take(_ byte: UInt8, _ digitCount: Int, _ value: Int) {
        if byte == UInt8(ascii: ":"), digitCount > 0 {
            state =
                value == 0
                ? .type : value > byteCountMax ? .skipped(left: value) : .payload(left: value)
            return
        }
        guard (0x30...0x39).contains(byte), digitCount < FlowSplitter.digitCountMax else {
            return fail("it does not start with a length")
        }
        state = .length(digitCount: digitCount + 1, value: value &* 10 &+ Int(byte - 0x30))
    }

    private mutating func fail(_ reason: String) {
        problem = reason
        state = .broken
        flow = []
    }
}

/// A value of a flow, of which only the place is known until it is read: neither nesting nor many
/// values cost memory.
struct FlowValue {
    enum Kind: UInt8 {
        case dictionary = 0x7D
        case list = 0x5D
        case bytes = 0x2C
        case text = 0x3B
        case integer = 0x23
        case float = 0x5E
        case bool = 0x21
        case null = 0x7E
    }

    /// The maximum number of values in a dictionary or of addresses and the like; flows have far
    /// fewer.
    private static let memberCountMax = 1_000

    let kind: Kind
    let payload: ArraySlice<UInt8>

    init(dictionary payload: ArraySlice<UInt8>) {
        kind = .dictionary
        self.payload = payload
    }

    private init(_ kind: Kind, _ payload: ArraySlice<UInt8>) {
        self.kind = kind
        self.payload = payload
    }

    /// Removes the next value from `rest`; throws if none ends within it.
    static func next(_ rest: inout ArraySlice<UInt8>) throws(ImportProblem) -> FlowValue {
        var length = 0
        var digitCount = 0
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: ":"), digitCount > 0 {
                guard length < rest.count, let kind = Kind(rawValue: rest[rest.startIndex + length])
                else { break }
                let payload = rest.prefix(length)
                rest = rest.dropFirst(length + 1)
                return FlowValue(kind, payload)
            }
            guard (0x30...0x39).contains(byte), digitCount < FlowSplitter.digitCountMax else {
                break
            }
            length = length &* 10 &+ Int(byte - 0x30)
            digitCount += 1
        }
        throw ImportProblem("a value in it does not end where it says", isDamage: true)
    }

    func forEach(_ body: (FlowValue) throws -> Void) throws {
        guard kind == .list else { return }
        var rest = payload
        while !rest.isEmpty { try body(try FlowValue.next(&rest)) }
    }

    /// The values of a short list; empty for anything else.
    func elements() throws(ImportProblem) -> [FlowValue] { kind == .list ? try values() : [] }

    /// The members of a dictionary; empty for anything else.
    func members() throws(ImportProblem) -> Members {
        guard kind == .dictionary else { return Members([]) }
        let values = try values()
        guard values.count.isMultiple(of: 2) else {
            throw ImportProblem("a name in it has no value")
        }
        return Members(
            stride(from: 0, to: values.count, by: 2).map { (values[$0].payload, values[$0 + 1]) })
    }

    private func values() throws(ImportProblem) -> [FlowValue] {
        var values: [FlowValue] = []
        var rest = payload
        while !rest.isEmpty {
            guard values.count < 2 * FlowValue.memberCountMax else {
                throw ImportProblem("a part of it has too many values")
            }
            values.append(try FlowValue.next(&rest))
        }
        return values
    }

    // MARK: Scalars

    var bytes: ArraySlice<UInt8>? { kind == .bytes || kind == .text ? payload : nil }

    /// A text; bytes that are not UTF-8 are read as Latin-1.
    var text: String? { bytes.map { ASCII.text($0) } }

    var bool: Bool? { kind == .bool ? payload.elementsEqual("true".utf8) : nil }

    var integer: Int64? {
        kind == .integer ? Int64(String(decoding: payload.prefix(32), as: UTF8.self)) : nil
    }

    /// Seconds since 1970, possibly with a fraction, as nanoseconds; nil if they cannot be a time.
    var nanoseconds: Int64? {
        guard kind == .integer || kind == .float, payload.count <= 32,
            let seconds = Double(String(decoding: payload, as: UTF8.self)),
            seconds > 0, seconds < 9e9
        else { return nil }
        return Nanoseconds.clamping(microseconds: Int64((seconds * 1e6).rounded()))
    }

    struct Members {
        private let values: [(name: ArraySlice<UInt8>, value: FlowValue)]

        init(_ values: [(name: ArraySlice<UInt8>, value: FlowValue)]) { self.values = values }

        /// The first member with a name; nil if it is absent or null.
        subscript(name: StaticString) -> FlowValue? {
            let found = values.first { member in
                name.withUTF8Buffer { member.name.elementsEqual($0) }
            }
            return found.flatMap { $0.value.kind == .null ? nil : $0.value }
        }
    }
}
