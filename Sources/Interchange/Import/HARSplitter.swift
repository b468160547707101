/// Cuts the elements of `log.entries` out of a JSON document that streams by. It looks at strings
/// and brackets only; whether an element is JSON is for its reader to say.
///
/// ```
/// { "log": { …, "entries": [ element , element ] … } }
/// depth 1        2            3 ─▶ 4 …
/// ```
struct HARSplitter {
    private enum Place: Equatable {
        /// Not in `log.entries`.
        case outside
        /// Between elements of `log.entries`.
        case between
        /// In an element.
        case element
    }

    private static let nameByteCountMax = 64

    private let byteCountMax: Int
    private var place = Place.outside
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// The string read last at a depth where names matter.
    private var lastString: [UInt8] = []
    /// The name of the member being read at depths 1 and 2.
    private var names: [[UInt8]] = [[], []]
    private var hasFoundEntries = false
    private var element: [UInt8] = []
    private var isTooLong = false

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Whether an element has begun and not ended.
    var isInElement: Bool { place == .element }

    /// What is wrong with a document that ends here; nil where all is well.
    var problemAtEnd: String? {
        if place != .outside { return "the file ends too early" }
        return hasFoundEntries ? nil : "it has no log.entries"
    }

    mutating func receive(_ octets: Span<UInt8>, into elements: inout [SplitElement]) {
        var start = 0
        for index in octets.indices {
            let octet = octets[index]
            if isInString {
                string(octet)
                continue
            }
            switch place {
            case .outside: outside(octet)
            case .between:
                between(octet)
                if place == .element { start = index }
            case .element:
                guard let isPart = endsElement(octet) else { continue }
                append(octets.extracting(start..<(isPart ? index + 1 : index)))
                finishElement(into: &elements)
                guard !isPart else { continue }
                between(octet)
                // A stray bracket: whether it is JSON is for the reader to say.
                if place == .element { start = index }
            }
        }
        if place == .element { append(octets.extracting(start..<octets.count)) }
    }

    // MARK: Strings

    private mutating func string(_ octet: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if octet == UInt8(ascii: "\\") {
            isEscaped = true
        } else if octet == UInt8(ascii: "\"") {
            isInString = false
            return
        }
        if place == .outside, depth <= 2, lastString.count < HARSplitter.nameByteCountMax {
            lastString.append(octet)
        }
    }

    private mutating func beginString() {
        isInString = true
        lastString.removeAll(keepingCapacity: true)
    }

    // MARK: Places

    private mutating func outside(_ octet: UInt8) {
        switch octet {
        case UInt8(ascii: "\""): beginString()
        case UInt8(ascii: ":") where depth == 1 || depth == 2: names[depth - 1] = lastString
        case UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "["):
            depth += 1
            guard depth == 3, names[0].elementsEqual("log".utf8),
                names[1].elementsEqual("entries".utf8)
            else { return }
            hasFoundEntries = true
            place = .between
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth = max(0, depth - 1)
            if depth == 1 { names[1] = [] }
        default: break
        }
    }

    private mutating func between(_ octet: UInt8) {
        switch octet {
        case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","): break
        case UInt8(ascii: "]"):
            place = .outside
            depth -= 1
        default:
            place = .element
            if octet == UInt8(ascii: "\"") { beginString() }
            if octet == UInt8(ascii: "{") || octet == UInt8(ascii: "[") { depth += 1 }
        }
    }

    /// Takes an octet of an element. Where it ends the element, whether it is part of it: its own
    /// bracket is, what follows a value without brackets is not. nil where it goes on.
    private mutating func endsElement(_ octet: UInt8) -> Bool? {
        switch octet {
        case UInt8(ascii: "\""): beginString()
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if depth == 3 { return false }
            depth -= 1
            return depth == 3 ? true : nil
        case UInt8(ascii: ","): return depth == 3 ? false : nil
        default: break
        }
        return nil
    }

    // MARK: Elements

    private mutating func append(_ octets: Span<UInt8>) {
        guard !isTooLong else { return }
        guard element.count + octets.count <= byteCountMax else {
            isTooLong = true
            element = []
            return
        }
        octets.withUnsafeBufferPointer { element.append(contentsOf: $0) }
    }

    private mutating func finishElement(into elements: inout [SplitElement]) {
        elements.append(isTooLong ? .tooLong : .octets(element))
        element = []
        isTooLong = false
        place = .between
    }
}
