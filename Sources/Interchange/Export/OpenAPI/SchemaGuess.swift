internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// A schema inferred from values, which are not kept: their types, members and elements.
struct SchemaGuess {
    private static let propertyCountMax = 200
    private static let depthMax = 24
    private static let elementCountMax = 1_000

    private var count = 0
    private var isNull = false
    private var isBool = false
    private var isInteger = false
    private var isNumber = false
    private var isString = false
    private var isObject = false
    private var isArray = false
    /// The format of all strings so far; nil if they do not share one.
    private var format: String?
    private var hasFormat = true
    private var objectCount = 0
    private var properties: [String: SchemaGuess] = [:]
    /// The names of properties in the order in which they were seen.
    private var names: [String] = []
    /// The number of objects that contain each property.
    private var presences: [String: Int] = [:]
    /// The properties of the object that is being added.
    private var seen: Set<String> = []
    /// The values of objects whose names are themselves values.
    private var members: [SchemaGuess] = []
    private var elements: [SchemaGuess] = []

    var isEmpty: Bool { count == 0 }

    /// The names of an object's properties, sorted; nil if there are none.
    var signature: String? { names.isEmpty ? nil : names.sorted().joined(separator: ",") }

    mutating func add(_ value: JSONValue, depth: Int = 0) {
        count += 1
        switch value {
        case .null: isNull = true
        case .bool: isBool = true
        case .number(let digits):
            let isWhole = digits.utf8.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) }
            if isWhole { isInteger = true } else { isNumber = true }
        case .string(let text): add(text: text)
        case .array(let values):
            isArray = true
            guard depth < SchemaGuess.depthMax else { return }
            var element = elements.popLast() ?? SchemaGuess()
            for value in values.prefix(SchemaGuess.elementCountMax) {
                element.add(value, depth: depth + 1)
            }
            elements = [element]
        case .object(let values):
            isObject = true
            guard depth < SchemaGuess.depthMax else { return }
            add(members: values, depth)
        }
    }

    /// Adds a text of unknown type, as in queries and forms.
    mutating func add(parameter text: String?) {
        guard let text, !text.isEmpty else {
            count += 1
            isString = true
            return
        }
        switch text {
        case "true", "false": add(.bool(true))
        case _
        where Int64(text) != nil && !text.hasPrefix("0") && !text.hasPrefix("+") || text == "0":
            add(.number("0"))
        default: add(.string(text))
        }
    }

    mutating func addFile() {
        count += 1
        isString = true
        add(format: "binary")
    }

    /// Adds a member of an object whose members come one by one.
    mutating func add(property name: String, _ change: (inout SchemaGuess) -> Void) {
        isObject = true
        if SegmentShape.isValue(name) {
            var common = members.popLast() ?? SchemaGuess()
            change(&common)
            members = [common]
        } else if let index = index(of: name) {
            notePresence(of: name)
            change(&properties.values[index])
        }
    }

    /// Counts an object whose members come one by one.
    mutating func addObject() {
        count += 1
        objectCount += 1
        isObject = true
        seen = []
    }

    private mutating func add(members values: [JSONValue.Member], _ depth: Int) {
        objectCount += 1
        seen = []
        for member in values {
            // If a name looks like a value, the object is a table.
            if SegmentShape.isValue(member.name) {
                var common = members.popLast() ?? SchemaGuess()
                common.add(member.value, depth: depth + 1)
                members = [common]
            } else if let index = index(of: member.name) {
                notePresence(of: member.name)
                properties.values[index].add(member.value, depth: depth + 1)
            }
        }
    }

    /// Counts a property once per object.
    private mutating func notePresence(of name: String) {
        if seen.insert(name).inserted { presences[name, default: 0] += 1 }
    }

    private mutating func index(of name: String) -> Dictionary<String, SchemaGuess>.Index? {
        if let index = properties.index(forKey: name) { return index }
        guard names.count < SchemaGuess.propertyCountMax else { return nil }
        names.append(name)
        properties[name] = SchemaGuess()
        return properties.index(forKey: name)
    }

    private mutating func add(text: String) {
        isString = true
        add(format: SchemaGuess.format(of: text))
    }

    private mutating func add(format found: String?) {
        if format == nil, hasFormat { format = found }
        hasFormat = hasFormat && found != nil && found == format
        if !hasFormat { format = nil }
    }

    private static func format(of text: String) -> String? {
        let bytes = Array(text.utf8)
        if SegmentShape(text[...]) == .uuid { return "uuid" }
        if SegmentShape.isDate(bytes) { return "date" }
        if bytes.count >= 20, bytes.count <= 35, bytes[4] == 0x2D, bytes[10] == 0x54,
            bytes.last == 0x5A || bytes.dropFirst(19).contains(where: { $0 == 0x2B || $0 == 0x2D })
        {
            return "date-time"
        }
        return text.hasPrefix("https://") || text.hasPrefix("http://") ? "uri" : nil
    }

    // MARK: Merging

    mutating func merge(_ other: SchemaGuess) {
        let isFirst = count == 0
        count += other.count
        isNull = isNull || other.isNull
        isBool = isBool || other.isBool
        isInteger = isInteger || other.isInteger
        isNumber = isNumber || other.isNumber
        isObject = isObject || other.isObject
        isArray = isArray || other.isArray
        if isFirst || !isString {
            (format, hasFormat) = (other.format, other.hasFormat)
        } else if other.isString, format != other.format {
            (format, hasFormat) = (nil, false)
        }
        isString = isString || other.isString
        objectCount += other.objectCount
        for name in other.names {
            guard let index = index(of: name), let value = other.properties[name] else { continue }
            properties.values[index].merge(value)
            presences[name, default: 0] += other.presences[name] ?? 0
        }
        if let value = other.members.first {
            var common = members.popLast() ?? SchemaGuess()
            common.merge(value)
            members = [common]
        }
        if let value = other.elements.first {
            var element = elements.popLast() ?? SchemaGuess()
            element.merge(value)
            elements = [element]
        }
    }

    // MARK: Writing

    var value: JSONValue {
        var types: [String] = []
        if isObject { types.append("object") }
        if isArray { types.append("array") }
        if isString { types.append("string") }
        if isNumber {
            types.append("number")
        } else if isInteger {
            types.append("integer")
        }
        if isBool { types.append("boolean") }
        if isNull { types.append("null") }
        var result: [(String, JSONValue)] = []
        switch types.count {
        case 0: break
        case 1: result.append(("type", .string(types[0])))
        default: result.append(("type", .strings(types)))
        }
        if isString, let format { result.append(("format", .string(format))) }
        if !names.isEmpty {
            result.append(
                ("properties", .members(names.map { ($0, properties[$0]?.value ?? .members([])) })))
            let required = names.filter { presences[$0] ?? 0 >= objectCount }
            if !required.isEmpty { result.append(("required", .strings(required))) }
        }
        if let common = members.first { result.append(("additionalProperties", common.value)) }
        if isArray { result.append(("items", elements.first?.value ?? .members([]))) }
        return .members(result)
    }
}
