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
        /// The payload is too long, and is passed over.
        case skipped(left: Int)
        case type
        case broken
    }

    /// The maximum number of digits of a length.
    static let digitCountMax = 10

    private let byteCountMax: Int
    private var state = State.length(digitCount: 0, value: 0)
    private var flow: [UInt8] = []
    private var isTooLong = false
    /// Why nothing can be read after the last flow; nil if something can.
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

    mutating func receive(_ bytes: Span<UInt8>, into elements: inout [SplitElement]) {
        var index = 0
        while index < bytes.count {
            switch state {
            case .length(let digitCount, let value):
                take(bytes[index], digitCount, value)
                index += 1
            case .payload(let left):
                // Memory is taken for what has arrived, never for what a length announces.
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
                    return fail("it is not a flow")
                }
                elements.append(isTooLong ? .tooLong : .bytes(flow))
                flow = []
                isTooLong = false
                state = .length(digitCount: 0, value: 0)
                index += 1
            case .broken: return
            }
        }
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
        state = .length(digitCount: digitCount + 1, value: value * 10 + Int(byte - 0x30))
    }

    private mutating func fail(_ reason: String) {
        problem = reason
        state = .broken
        flow = []
    }
}
