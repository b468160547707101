internal import ProxydParameterCoding

/// Parses XML property lists: the elements of Apple's DTD, and the XML syntax that they need.
///
/// Iterative, so that nesting uses no stack, and linear. Names and values are distinguished as the
/// elements arrive:
///
/// ```
/// document ──<plist>──▶ list ──value──▶ end
///                        │ <array> <dict>
///                        ▼
///           frames: array: values; dict: <key>, value, <key>, value…
/// ```
struct XMLPropertyListParser {
    /// A container that has not ended yet.
    private struct Frame {
        let isDictionary: Bool
        var name: String?
        var elements: [Parameter] = []
        var members: [Parameter.Member] = []
    }

    private var scanner: XMLScanner
    private let limits: PropertyListLimits
    private var frames: [Frame] = []
    private var root: Parameter?
    private var isInPlist = false
    private var valueCount = 0

    init(_ bytes: [UInt8], limits: PropertyListLimits) {
        scanner = XMLScanner(bytes)
        self.limits = limits
    }

    mutating func parse() throws(PropertyListError) -> Parameter {
        try scanner.begin()
        while let tag = try scanner.nextTag() {
            switch tag.kind {
            case .start, .empty: try open(tag)
            case .end: try close(tag)
            }
        }
        guard let root, frames.isEmpty, !isInPlist else {
            throw PropertyListError(.truncated, at: scanner.offset)
        }
        return root
    }

    private mutating func open(_ tag: XMLScanner.Tag) throws(PropertyListError) {
        if tag.name == "plist" {
            guard !isInPlist, frames.isEmpty, root == nil, tag.kind == .start else {
                throw PropertyListError(.unexpectedContent, at: tag.offset)
            }
            isInPlist = true
            return
        }
        guard !frames.isEmpty || root == nil else {
            throw PropertyListError(.trailingContent, at: tag.offset)
        }
        valueCount += 1
        guard valueCount <= limits.valueCountMax else {
            throw PropertyListError(.tooLarge, at: tag.offset)
        }
        switch tag.name {
        case "dict", "array":
            guard frames.count < limits.depthMax else {
                throw PropertyListError(.tooDeep, at: tag.offset)
            }
            let frame = Frame(isDictionary: tag.name == "dict")
            if tag.kind == .empty {
                try add(frame.isDictionary ? .object([]) : .array([]), tag)
            } else {
                frames.append(frame)
            }
        case "key": try addName(tag)
        default: try add(try scalar(tag), tag)
        }
    }

    private mutating func close(_ tag: XMLScanner.Tag) throws(PropertyListError) {
        if tag.name == "plist", isInPlist, frames.isEmpty {
            isInPlist = false
            return
        }
        guard let frame = frames.popLast(),
            tag.name == (frame.isDictionary ? "dict" : "array")
        else { throw PropertyListError(.unexpectedContent, at: tag.offset) }
        guard frame.name == nil else { throw PropertyListError(.badName, at: tag.offset) }
        try add(frame.isDictionary ? .object(frame.members) : .array(frame.elements), tag)
    }

    private mutating func addName(_ tag: XMLScanner.Tag) throws(PropertyListError) {
        guard let top = frames.indices.last, frames[top].isDictionary, frames[top].name == nil
        else { throw PropertyListError(.badName, at: tag.offset) }
        frames[top].name = try scanner.text(of: tag)
    }

    private mutating func add(_ value: Parameter, _ tag: XMLScanner.Tag) throws(PropertyListError) {
        guard let top = frames.indices.last else {
            root = value
            return
        }
        guard frames[top].isDictionary else {
            frames[top].elements.append(value)
            return
        }
        guard let name = frames[top].name else { throw PropertyListError(.badName, at: tag.offset) }
        frames[top].members.append(Parameter.Member(name, value))
        frames[top].name = nil
    }

    // MARK: Scalars

    private mutating func scalar(_ tag: XMLScanner.Tag) throws(PropertyListError) -> Parameter {
        switch tag.name {
        case "string": return .string(try scanner.text(of: tag))
        case "true", "false":
            guard try trimmedText(tag).isEmpty else {
                throw PropertyListError(.badValue, at: tag.offset)
            }
            return .bool(tag.name == "true")
        case "integer", "real", "date", "data":
            let text = try trimmedText(tag)
            guard let value = XMLPropertyListValue.read(text, element: tag.name) else {
                throw PropertyListError(.badValue, at: tag.offset)
            }
            return value
        default: throw PropertyListError(.unexpectedContent, at: tag.offset)
        }
    }

    private mutating func trimmedText(
        _ tag: XMLScanner.Tag
    ) throws(PropertyListError) -> ArraySlice<UInt8> {
        var text = Array(try scanner.text(of: tag).utf8)[...]
        while let first = text.first, Byte.isJSONWhitespace(first) { text.removeFirst() }
        while let last = text.last, Byte.isJSONWhitespace(last) { text.removeLast() }
        return text
    }
}

/// The scalar values of XML property lists other than text.
enum XMLPropertyListValue {
    /// Parses the trimmed text of an element; nil if it is invalid.
    static func read(_ text: ArraySlice<UInt8>, element: String) -> Parameter? {
        switch element {
        case "integer": integer(text)
        case "real": real(text)
        case "date": ISO8601Text.date(text).map { .date($0) }
        case "data": Base64.bytes(text).map { .data($0) }
        default: nil
        }
    }

    /// Decimal, or hexadecimal after `0x`, with an optional sign.
    private static func integer(_ text: ArraySlice<UInt8>) -> Parameter? {
        var digits = text
        let isNegative = digits.first == 0x2D
        if isNegative || digits.first == 0x2B { digits.removeFirst() }
        let isHex = digits.starts(with: [0x30, 0x78]) || digits.starts(with: [0x30, 0x58])
        if isHex { digits.removeFirst(2) }
        guard !digits.isEmpty, let magnitude = magnitude(digits, radix: isHex ? 16 : 10) else {
            return nil
        }
        if !isNegative { return Int64(exactly: magnitude).map { .int($0) } ?? .uint(magnitude) }
        guard magnitude <= Int64.min.magnitude else { return nil }
        return .int(Int64(truncatingIfNeeded: 0 &- magnitude))
    }

    private static func magnitude(_ digits: ArraySlice<UInt8>, radix: UInt64) -> UInt64? {
        var value: UInt64 = 0
        for byte in digits {
            guard let digit = Byte.hexValue(byte), UInt64(digit) < radix else { return nil }
            let (scaled, scaledOver) = value.multipliedReportingOverflow(by: radix)
            let (sum, sumOver) = scaled.addingReportingOverflow(UInt64(digit))
            if scaledOver || sumOver { return nil }
            value = sum
        }
        return value
    }

    /// Digits as in C, and the words that property list writers use for non-finite numbers.
    private static func real(_ text: ArraySlice<UInt8>) -> Parameter? {
        let word = String(decoding: text, as: UTF8.self)
        switch word.lowercased() {
        case "nan", "+nan", "-nan": return .double(.nan)
        case "inf", "+inf", "infinity", "+infinity": return .double(.infinity)
        case "-inf", "-infinity": return .double(-.infinity)
        default: break
        }
        let isPlain = text.allSatisfy {
            Byte.isDigit($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0)
        }
        return isPlain ? Double(word).map { .double($0) } : nil
    }
}
