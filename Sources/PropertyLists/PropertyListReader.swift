public import ProxydParameterCoding

/// Reads property lists, XML and binary.
///
/// Dictionaries keep their order and duplicate names. Integers become `int`, or `uint` if they are
/// too large for it. A UID, as in keyed archives, becomes an object with the single member
/// `CF$UID`, as in XML. No external data is ever loaded: document types with declarations and
/// custom entities are rejected.
public struct PropertyListReader: Sendable {
    /// Bounds on the lists.
    public var limits: PropertyListLimits

    /// Creates a reader with the given bounds.
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
