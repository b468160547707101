public import ProxydParameterCoding

/// Reads property lists, XML and binary.
///
/// Dictionaries keep their order and duplicate names. Integers become `int`, or `uint` if they are
/// too large for it. A UID, as in keyed archives, becomes an object with the single member
/// `CF$UID`, as in XML. No external data is ever loaded: document types with declarations and
/// custom entities are rejected.
public struct PropertyListReader: Sendable {
    public var limits: PropertyListLimits

    public init(limits: PropertyListLimits = PropertyListLimits()) {
        self.limits = limits
    }

    /// The format that the first bytes indicate; nil if neither.
    public static func format(_ bytes: [UInt8]) -> PropertyListFormat? {
        let kind = BodyKind.detect(contentType: nil, bytes: bytes.span)
        switch kind {
        case .propertyListBinary: return .binary
        case .propertyListXML, .xml: return .xml
        default: return nil
        }
    }

    /// Parses a list in either format.
    /// - Throws: the first error, with its position.
    public func read(_ bytes: [UInt8]) throws(PropertyListError) -> Parameter {
        guard bytes.count <= limits.byteCountMax else {
            throw PropertyListError(.tooLarge, at: limits.byteCountMax)
        }
        if bytes.starts(with: BinaryPropertyList.signature) {
            var reader = BinaryPropertyListReader(bytes, limits: limits)
            return try reader.read()
        }
        var parser = XMLPropertyListParser(bytes, limits: limits)
        return try parser.parse()
    }
}

public enum PropertyListFormat: Sendable, Hashable {
    /// XML text with Apple's DTD 1.0.
    case xml
    /// The binary format `bplist00`.
    case binary
}

public struct PropertyListLimits: Sendable, Hashable {
    /// The maximum nesting depth of arrays and dictionaries. The value is capped at 1,024: freeing
    /// a tree uses stack for each level.
    public let depthMax: Int
    /// The maximum size of the list in bytes, and of its expanded texts and data: a binary list can
    /// refer to one object many times.
    public let byteCountMax: Int
    /// The maximum number of expanded values, including containers and names.
    public let valueCountMax: Int

    public init(depthMax: Int = 512, byteCountMax: Int = 64 << 20, valueCountMax: Int = 4 << 20) {
        self.depthMax = min(depthMax, 1_024)
        self.byteCountMax = byteCountMax
        self.valueCountMax = valueCountMax
    }
}

/// Why bytes are not a valid property list.
public struct PropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// Neither `bplist00` nor XML that contains a property list.
        case notAPropertyList
        /// The list ends too early, or its trailer points outside of it.
        case truncated
        /// An element, tag or type byte that is not allowed at this position.
        case unexpectedContent
        case trailingContent
        /// A declared encoding other than UTF-8.
        case unsupportedEncoding
        /// Bytes that are not valid text in the expected encoding.
        case invalidText
        /// A custom entity, or a document type with declarations: neither is ever resolved.
        case entity
        /// An invalid number, date or Base64 text.
        case badValue
        /// A dictionary key that is not text, or a key without a value.
        case badName
        /// An object that contains itself.
        case cycle
        case tooDeep
        /// More bytes or values than the limit.
        case tooLarge
    }

    public let kind: Kind
    /// The number of bytes before the error; in a binary list, before the object with the error.
    public let offset: Int

    init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }

    /// A message with the position; it never contains bytes of the list.
    public var description: String {
        let problem =
            switch kind {
            case .notAPropertyList: "not a property list"
            case .truncated: "the list ends too early"
            case .unexpectedContent: "unexpected content"
            case .trailingContent: "something follows the list"
            case .unsupportedEncoding: "an encoding other than UTF-8"
            case .invalidText: "not text in its encoding"
            case .entity: "an entity or a declaration of one"
            case .badValue: "not a number, date or Base64"
            case .badName: "not a name, or a name without a value"
            case .cycle: "an object that contains itself"
            case .tooDeep: "nested too deep"
            case .tooLarge: "too large"
            }
        return "offset \(offset): \(problem)"
    }
}
