/// How HPACK encoded a field line (RFC 7541 §6). HTTP/1 sends all of them as text.
public struct FieldCoding: Sendable, Hashable {
    public enum Representation: UInt8, Sendable, Hashable {
        /// Not HPACK: a line of text.
        case text = 0
        /// A reference to a table entry (§6.1).
        case indexed = 1
        /// A literal that is added to the dynamic table (§6.2.1).
        case added = 2
        /// A literal that is not added (§6.2.2).
        case notAdded = 3
        /// A literal that must never be added, because its value is sensitive (§6.2.3).
        case neverIndexed = 4
    }

    private static let representationMask: UInt8 = 0x07
    private static let huffmanName: UInt8 = 0x08
    private static let huffmanValue: UInt8 = 0x10

    /// The representation, plus 8 if the name and 16 if the value is Huffman-encoded.
    public let rawValue: UInt8

    public static var text: FieldCoding { FieldCoding(.text) }

    public init(
        _ representation: Representation, hasHuffmanName: Bool = false,
        hasHuffmanValue: Bool = false
    ) {
        rawValue =
            representation.rawValue | (hasHuffmanName ? FieldCoding.huffmanName : 0)
            | (hasHuffmanValue ? FieldCoding.huffmanValue : 0)
    }

    /// Creates a coding from its stored number; nil for invalid numbers.
    public init?(rawValue: UInt8) {
        guard rawValue < 0x20,
            Representation(rawValue: rawValue & FieldCoding.representationMask) != nil
        else { return nil }
        self.rawValue = rawValue
    }

    public var representation: Representation {
        Representation(rawValue: rawValue & FieldCoding.representationMask) ?? .text
    }
    public var hasHuffmanName: Bool { rawValue & FieldCoding.huffmanName != 0 }
    public var hasHuffmanValue: Bool { rawValue & FieldCoding.huffmanValue != 0 }
    /// Whether intermediaries must not add the line to a table (RFC 7541 §7.1.3).
    public var isNeverIndexed: Bool { representation == .neverIndexed }
}

extension RequestHead {
    /// How HPACK encoded each line, pseudo-header fields first, as raw values of `FieldCoding`.
    public var codings: [UInt8] { HeadCodings.of(pseudoFields, fields) }

    /// Returns the head with these codings of its lines; unchanged if their number does not match.
    public func withCodings(_ codings: [UInt8]) -> RequestHead {
        guard let lines = HeadCodings.put(codings, pseudoFields, fields) else { return self }
        return RequestHead(
            bytes: bytes, method: method, targetRange: targetRange, version: version,
            pseudoFields: lines.pseudo, fields: lines.fields)
    }
}

extension ResponseHead {
    public var codings: [UInt8] { HeadCodings.of(pseudoFields, fields) }

    public func withCodings(_ codings: [UInt8]) -> ResponseHead {
        guard let lines = HeadCodings.put(codings, pseudoFields, fields) else { return self }
        return ResponseHead(
            bytes: bytes, version: version, status: status, reasonRange: reasonRange,
            pseudoFields: lines.pseudo, fields: lines.fields)
    }
}

/// Separates the codings of a head's lines from the lines.
private enum HeadCodings {
    static func of(_ pseudo: [HeaderFields.Line], _ fields: HeaderFields) -> [UInt8] {
        var codings: [UInt8] = []
        codings.reserveCapacity(pseudo.count + fields.count)
        for line in pseudo { codings.append(line.coding.rawValue) }
        for line in fields.lines { codings.append(line.coding.rawValue) }
        return codings
    }

    static func put(
        _ codings: [UInt8], _ pseudo: [HeaderFields.Line], _ fields: HeaderFields
    ) -> (pseudo: [HeaderFields.Line], fields: HeaderFields)? {
        let values = codings.compactMap(FieldCoding.init(rawValue:))
        guard values.count == pseudo.count + fields.count, values.count == codings.count else {
            return nil
        }
        let lines = zip(pseudo + fields.lines, values).map { $0.with($1) }
        return (
            Array(lines.prefix(pseudo.count)),
            HeaderFields(bytes: fields.bytes, lines: Array(lines.dropFirst(pseudo.count)))
        )
    }
}

extension HeaderFields.Line {
    fileprivate func with(_ coding: FieldCoding) -> HeaderFields.Line {
        HeaderFields.Line(
            start: start, nameEnd: nameEnd, valueStart: valueStart, valueEnd: valueEnd, end: end,
            name: name, coding: coding)
    }
}
