public import ProxydParameterCoding

/// Converts messages to JSON by their descriptors: the ProtoJSON mapping ("JSON Format" in the
/// language guides), in the order of field numbers.
///
/// Data that does not match the descriptor stays visible: unknown fields, fields of another wire
/// type and invalid nested messages are in the member `@unknown`, as `FieldReadings` decodes them.
/// Unknown enum values are numbers, invalid UTF-8 in strings becomes U+FFFD, and times out of range
/// are objects.
public struct MessageDecoder: Sendable {
    /// The member for data without a description. No field can have this name.
    public static let unknownName = "@unknown"

    private let registry: DescriptorRegistry
    private let limits: ProtobufLimits

    public init(_ registry: DescriptorRegistry, limits: ProtobufLimits = ProtobufLimits()) {
        self.registry = registry
        self.limits = limits
    }

    /// Decodes a message of a type; nil if the type has no description. If the message is truncated
    /// or invalid, returns the part before the error, and the problem.
    /// - Throws: `tooMuch` if the message exceeds the limits.
    public func message(
        _ bytes: [UInt8], type name: String
    ) throws(ProtobufError) -> DecodedMessage? {
        var reading = MessageReading(registry, limits)
        let part = MessagePart(bytes)
        if WellKnownType(rawValue: name) != nil,
            let value = try reading.nested(part, type: name, depth: -1)
        {
            return DecodedMessage(json: value)
        }
        guard let message = registry.message(named: name) else { return nil }
        var problem: ProtobufError?
        let members = try reading.members(part, of: message, depth: 0, problem: &problem)
        return DecodedMessage(json: .members(members), problem: problem)
    }
}

public struct DecodedMessage: Sendable, Hashable {
    /// A JSON object, or the special JSON form of a well-known type.
    public var json: JSONValue
    /// Why the rest of the message could not be parsed; nil if it is complete.
    public var problem: ProtobufError?
}

struct MessageReading {
    let registry: DescriptorRegistry
    var budget: ReadingBudget

    init(_ registry: DescriptorRegistry, _ limits: ProtobufLimits) {
        self.registry = registry
        budget = ReadingBudget(limits)
    }

    /// Decodes a message of a type; nil if the type has no description.
    mutating func value(
        _ part: MessagePart, type name: String, depth: Int
    ) throws(ProtobufError) -> JSONValue? {
        guard depth < budget.depthMax else {
            throw ProtobufError(.tooDeep, at: part.range.lowerBound)
        }
        if let type = WellKnownType(rawValue: name),
            let value = try wellKnown(type, part, depth: depth)
        {
            return value
        }
        guard let message = registry.message(named: name) else { return nil }
        var problem: ProtobufError?
        let members = try members(part, of: message, depth: depth, problem: &problem)
        if let problem { throw problem }
        return .members(members)
    }

    /// The members of a message's object, with `@unknown` last.
    mutating func members(
        _ part: MessagePart, of message: MessageDescriptor, depth: Int,
        problem: inout ProtobufError?
    ) throws(ProtobufError) -> [(String, JSONValue)] {
        var collection = FieldCollection(message)
        var reader = part.reader
        do throws(ProtobufError) {
            while let field = try reader.next(&budget) {
                try collect(field, of: part, depth: depth, into: &collection)
            }
        } catch {
            if error.kind == .tooMuch { throw error }
            problem = error
        }
        return try members(collection, part, depth: depth)
    }

    // MARK: Collecting

    private mutating func collect(
        _ wire: WireField, of part: MessagePart, depth: Int, into collection: inout FieldCollection
    ) throws(ProtobufError) {
        try budget.show(at: wire.offset)
        guard let index = collection.index(of: wire.number, registry) else {
            return collection.unknown.append(wire)
        }
        let field = collection.fields[index].field
        let isKept =
            if field.isRepeated {
                try collectRepeated(wire, of: part, depth, &collection.fields[index])
            } else {
                try collectSingle(wire, of: part, &collection.fields[index])
            }
        if isKept {
            collection.noteSet(field)
        } else {
            collection.unknown.append(wire)
        }
    }

    private mutating func collectSingle(
        _ wire: WireField, of part: MessagePart, _ collected: inout CollectedField
    ) throws(ProtobufError) -> Bool {
        if collected.field.isMessage {
            guard wire.content != nil else { return false }
            collected.parts.append(wire)
            return true
        }
        guard let scalar = try scalar(collected.field, wire.value, part.bytes) else { return false }
        collected.values = [scalar.json]
        collected.isDefault = scalar.isDefault
        return true
    }

    private mutating func collectRepeated(
        _ wire: WireField, of part: MessagePart, _ depth: Int, _ collected: inout CollectedField
    ) throws(ProtobufError) -> Bool {
        let field = collected.field
        if field.isMessage {
            guard let content = wire.content else { return false }
            let element = MessagePart(part.bytes, content)
            if let entry = registry.message(named: field.typeName), entry.isMapEntry {
                return try collectEntry(element, of: entry, depth, &collected)
            }
            guard let value = try nested(element, type: field.typeName, depth: depth) else {
                return false
            }
            collected.values.append(value)
            return true
        }
        if case .bytes(let content) = wire.value, field.kind.isPackable {
            return try collectPacked(MessagePart(part.bytes, content), &collected)
        }
        guard let scalar = try scalar(field, wire.value, part.bytes) else { return false }
        collected.values.append(scalar.json)
        return true
    }

    private mutating func collectPacked(
        _ part: MessagePart, _ collected: inout CollectedField
    ) throws(ProtobufError) -> Bool {
        var values: [JSONValue] = []
        var reader = part.reader
        do throws(ProtobufError) {
            while let value = try reader.nextPacked(collected.field.kind) {
                try budget.show(at: part.range.lowerBound)
                guard let scalar = try scalar(collected.field, value, part.bytes) else {
                    return false
                }
                values.append(scalar.json)
            }
        } catch {
            if error.kind == .tooMuch { throw error }
            return false
        }
        collected.values += values
        return true
    }

    private mutating func collectEntry(
        _ part: MessagePart, of entry: MessageDescriptor, _ depth: Int,
        _ collected: inout CollectedField
    ) throws(ProtobufError) -> Bool {
        guard let keyField = entry.fields[1], let valueField = entry.fields[2],
            depth &+ 1 < budget.depthMax
        else { return false }
        var problem: ProtobufError?
        let members = try members(part, of: entry, depth: depth &+ 1, problem: &problem)
        guard problem == nil, members.last?.0 != MessageDecoder.unknownName else { return false }
        let key = try member(keyField, of: members, depth)
        let value = try member(valueField, of: members, depth)
        collected.set(value, forKey: key.mapKey)
        return true
    }

    private mutating func member(
        _ field: FieldDescriptor, of members: [(String, JSONValue)], _ depth: Int
    ) throws(ProtobufError) -> JSONValue {
        if let member = members.first(where: { $0.0 == field.jsonName }) { return member.1 }
        return try defaultValue(of: field, depth: depth)
    }

    // MARK: Members

    private mutating func members(
        _ collection: FieldCollection, _ part: MessagePart, depth: Int
    ) throws(ProtobufError) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = []
        var unknown = collection.unknown
        for collected in collection.fields.sorted(by: { $0.field.number < $1.field.number }) {
            let field = collected.field
            if !collected.parts.isEmpty {
                let whole = try merged(collected.parts, part.bytes)
                if let value = try nested(whole, type: field.typeName, depth: depth) {
                    members.append((field.jsonName, value))
                } else {
                    unknown += collected.parts
                }
            } else if !collected.keys.isEmpty {
                let pairs = Array(zip(collected.keys, collected.values))
                members.append((field.jsonName, .members(pairs)))
            } else if field.isRepeated, !collected.values.isEmpty {
                members.append((field.jsonName, .array(collected.values)))
            } else if let value = collected.values.last,
                field.hasPresence || !collected.isDefault
            {
                members.append((field.jsonName, value))
            }
        }
        guard !unknown.isEmpty else { return members }
        var elements: [JSONValue] = []
        for field in unknown {
            elements.append(try FieldReadings.element(field, in: part.bytes, depth: depth, &budget))
        }
        members.append((MessageDecoder.unknownName, .array(elements)))
        return members
    }

    /// Joins a message that was sent in several parts: concatenation merges them.
    private mutating func merged(
        _ parts: [WireField], _ bytes: [UInt8]
    ) throws(ProtobufError) -> MessagePart {
        let contents = parts.compactMap(\.content)
        if contents.count == 1, let only = contents.first { return MessagePart(bytes, only) }
        var whole: [UInt8] = []
        for content in contents {
            try budget.look(byteCount: content.count, at: content.lowerBound)
            whole += bytes[content]
        }
        return MessagePart(whole)
    }

    /// A nested message; nil if its type has no description or the bytes are not a message.
    mutating func nested(
        _ part: MessagePart, type name: String, depth: Int
    ) throws(ProtobufError) -> JSONValue? {
        do throws(ProtobufError) {
            return try value(part, type: name, depth: depth &+ 1)
        } catch {
            if error.kind == .tooMuch { throw error }
            return nil
        }
    }
}

/// A range of bytes that is a message, and the bytes that contain it.
struct MessagePart {
    let bytes: [UInt8]
    let range: Range<Int>

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }

    init(_ bytes: [UInt8]) { self.init(bytes, bytes.indices) }

    var reader: WireReader { WireReader(bytes, range) }
}

/// The values of a message read so far, by field.
struct FieldCollection {
    private let message: MessageDescriptor
    private(set) var indices: [Int32: Int] = [:]
    var fields: [CollectedField] = []
    /// Fields without a description, in wire order.
    var unknown: [WireField] = []
    /// The last field received of each oneof.
    private var chosen: [Int32: Int32] = [:]

    init(_ message: MessageDescriptor) { self.message = message }

    /// The index at which a field is collected; nil if the message has no field of this number.
    mutating func index(of number: Int32, _ registry: DescriptorRegistry) -> Int? {
        if let index = indices[number] { return index }
        let found =
            message.fields[number] ?? registry.extension(of: message.fullName, number: number)
        guard let found else { return nil }
        indices[number] = fields.count
        fields.append(CollectedField(found))
        return fields.count - 1
    }

    /// Discards the other fields of the same oneof.
    mutating func noteSet(_ field: FieldDescriptor) {
        guard let oneof = field.oneof else { return }
        if let other = chosen[oneof], other != field.number, let index = indices[other] {
            fields[index].clear()
        }
        chosen[oneof] = field.number
    }
}

/// The values received for one field of a message.
struct CollectedField {
    let field: FieldDescriptor
    /// The values; for a singular field, only the last one.
    var values: [JSONValue] = []
    var isDefault = false
    /// The parts of a singular message, which are merged.
    var parts: [WireField] = []
    /// The keys of a map, parallel to `values`.
    var keys: [String] = []
    /// By bytes: canonically equivalent keys differ.
    private var indices: [[UInt8]: Int] = [:]

    init(_ field: FieldDescriptor) { self.field = field }

    mutating func set(_ value: JSONValue, forKey key: String) {
        let bytes = Array(key.utf8)
        if let index = indices[bytes] {
            values[index] = value
        } else {
            indices[bytes] = values.count
            keys.append(key)
            values.append(value)
        }
    }

    /// Discards the values, after another field of the oneof was received.
    mutating func clear() {
        values = []
        parts = []
    }
}
