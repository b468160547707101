public import ProxydParameterCoding

/// Reads property lists, XML and binary.
///
/// Dictionaries keep their order and duplicate names. Whole numbers become `int`, or `uint` where
/// they are too large for it. A UID, as keyed archives have them, becomes an object with the one
/// member `CF$UID`: the form it has in XML. Nothing is ever looked up elsewhere: document types
/// with declarations and entities of one's own are refused.
public struct PropertyListReader: Sendable {
    /// Bounds on the lists.
    public var limits: PropertyListLimits

    /// A reader with the given bounds.
    public init(limits: PropertyListLimits = PropertyListLimits()) {
        self.limits = limits
    }

    /// The form that octets claim to have; nil where they begin like neither.
    public static func format(_ octets: [UInt8]) -> PropertyListFormat? {
        let kind = BodyKind.detect(contentType: nil, octets: octets.span)
        switch kind {
        case .propertyListBinary: return .binary
        case .propertyListXML, .xml: return .xml
        default: return nil
        }
    }

    /// The value of a list of either form.
    /// - Throws: what is wrong first, with its place.
    public func read(_ octets: [UInt8]) throws(PropertyListError) -> Parameter {
        guard octets.count <= limits.byteCountMax else {
            throw PropertyListError(.tooLarge, at: limits.byteCountMax)
        }
        if octets.starts(with: BinaryPropertyList.signature) {
            var reader = BinaryPropertyListReader(octets, limits: limits)
            return try reader.read()
        }
        var parser = XMLPropertyListParser(octets, limits: limits)
        return try parser.parse()
    }
}
