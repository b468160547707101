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
        case "key":
            try addName(tag)
        default:
            try add(try scalar(tag), tag)
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

    private mutating func add(
        _ value: Parameter, _ tag: XMLScanner.Tag
    ) throws(PropertyListError) {
        guard let top = frames.indices.last else {
            root = value
            return
        }
        guard frames[top].isDictionary else {
            frames[top].elements.append(value)
            return
        }
        guard let name = frames[top].name else {
            throw PropertyListError(.badName, at: tag.offset)
        }
        frames[top].members.append(Parameter.Member(name, value))
        frames[top].name = nil
    }

    // MARK: Scalars

    private mutating func scalar(_ tag: XMLScanner.Tag) throws(PropertyListError) -> Parameter {
        switch tag.name {
        case "string":
            return .string(try scanner.text(of: tag))
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
        default:
            throw PropertyListError(.unexpectedContent, at: tag.offset)
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
