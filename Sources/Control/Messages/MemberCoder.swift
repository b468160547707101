internal import FoundationEssentials

/// A type that names the members of its JSON object once, for both directions.
protocol MemberCoded: Codable {
    /// A value to read into.
    static var blank: Self { get }
    /// Reads or writes each member; throws if what was read is impossible.
    mutating func code(_ members: inout MemberCoder) throws
}

extension MemberCoded {
    public init(from decoder: any Decoder) throws {
        self = Self.blank
        var members = MemberCoder(source: try decoder.container(keyedBy: MemberName.self))
        try code(&members)
    }

    public func encode(to encoder: any Encoder) throws {
        var copy = self
        var members = MemberCoder(target: encoder.container(keyedBy: MemberName.self))
        try copy.code(&members)
    }
}

struct MemberName: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    let intValue: Int? = nil

    init(stringLiteral name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// Reads members of a JSON object, or writes them; nil is absent, and bytes are base64.
struct MemberCoder {
    private let source: KeyedDecodingContainer<MemberName>?
    private var target: KeyedEncodingContainer<MemberName>?

    init(source: KeyedDecodingContainer<MemberName>) { self.source = source }

    init(target: KeyedEncodingContainer<MemberName>) {
        source = nil
        self.target = target
    }

    /// Throws if the number of an exchange or connection was read and is not one.
    func check(number: Int64) throws {
        guard source == nil || ControlLimits.importedNumbers.contains(number) else {
            throw ControlError(.badMessage, "an imported exchange or connection has no valid id")
        }
    }

    mutating func value<Value: Codable>(_ name: MemberName, _ value: inout Value) throws {
        try target?.encode(value, forKey: name)
        if let source { value = try source.decode(Value.self, forKey: name) }
    }

    mutating func optional<Value: Codable>(_ name: MemberName, _ value: inout Value?) throws {
        try target?.encodeIfPresent(value, forKey: name)
        if let source { value = try source.decodeIfPresent(Value.self, forKey: name) }
    }

    /// A member that is absent if it has a certain value.
    mutating func value<Value: Codable & Equatable>(
        _ name: MemberName, _ value: inout Value, unless absent: Value
    ) throws {
        var written = value == absent ? nil : value
        try optional(name, &written)
        value = written ?? absent
    }

    mutating func bytes(_ name: MemberName, _ bytes: inout [UInt8]) throws {
        var data = Data(bytes)
        try value(name, &data)
        bytes = [UInt8](data)
    }

    mutating func bytes(_ name: MemberName, _ bytes: inout [UInt8]?) throws {
        var data = bytes.map { Data($0) }
        try optional(name, &data)
        bytes = data.map { [UInt8]($0) }
    }

    /// Bytes that are absent if there are none.
    mutating func bytesIfAny(_ name: MemberName, _ bytes: inout [UInt8]) throws {
        var written = bytes.isEmpty ? nil : bytes
        try self.bytes(name, &written)
        bytes = written ?? []
    }
}
