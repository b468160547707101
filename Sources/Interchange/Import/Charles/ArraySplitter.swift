internal import ProxydParameterCoding

/// Splits the elements of the array that a streamed JSON document is. The reader of an element
/// checks whether it is valid JSON.
struct ArraySplitter {
    private let byteCountMax: Int
    private var tokenizer = JSONTokenizer()
    private var depth = 0
    private var element: [UInt8] = []
    private var isTooLong = false
    private var isInElement = false
    private var hasBegun = false
    /// Whether the document is something else than an array.
    private(set) var isBroken = false
    /// Whether the array has ended.
    private(set) var isAtEnd = false

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    mutating func receive(_ bytes: Span<UInt8>, into elements: inout [SplitElement]) {
        var start = 0
        var position = 0
        while !isAtEnd, !isBroken, let token = tokenizer.next(in: bytes, from: &position) {
            guard token.isStart else { continue }
            let index = token.range.lowerBound
            // A byte order mark is a scalar.
            if !hasBegun, token.kind != .scalar {
                hasBegun = true
                isBroken = bytes[index] != UInt8(ascii: "[")
                if isBroken { return }
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
                if depth == 1 {
                    finish(bytes.extracting(start..<(index + 1)), into: &elements)
                }
            case .comma where depth == 1:
                finish(bytes.extracting(min(start, index)..<index), into: &elements)
            case .comma, .colon, .string, .scalar: break
            }
        }
        if isInElement { append(bytes.extracting(start..<bytes.count)) }
    }

    private mutating func append(_ bytes: Span<UInt8>) {
        guard !isTooLong else { return }
        guard element.count + bytes.count <= byteCountMax else {
            isTooLong = true
            element = []
            return
        }
        bytes.withUnsafeBufferPointer { element.append(contentsOf: $0) }
    }

    private mutating func finish(_ rest: Span<UInt8>, into elements: inout [SplitElement]) {
        guard isInElement else { return }
        append(rest)
        elements.append(isTooLong ? .tooLong : .bytes(element))
        element = []
        isTooLong = false
        isInElement = false
    }
}
