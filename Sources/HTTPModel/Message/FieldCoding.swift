/// How HPACK wrote a field line (RFC 7541 §6). HTTP/1 writes all of them as text.
public struct FieldCoding: Sendable, Hashable {
    /// The representation of a field line.
    public enum Representation: UInt8, Sendable, Hashable {
        /// No representation of HPACK: a line of text.
        case text = 0
        /// A reference to an entry of a table (§6.1).
        case indexed = 1
        /// A literal that is added to the dynamic table (§6.2.1).
        case added = 2
        /// A literal that is not added (§6.2.2).
        case notAdded = 3
        /// A literal that no one may ever add: its value is sensitive (§6.2.3).
        case neverIndexed = 4
    }

    private static let representationMask: UInt8 = 0x07
    private static let huffmanName: UInt8 = 0x08
    private static let huffmanValue: UInt8 = 0x10

    /// The representation, with 8 for a name and 16 for a value in the Huffman code.
    public let rawValue: UInt8

    /// A line of text.
    public static var text: FieldCoding { FieldCoding(.text) }

    /// A representation, and which of its literals are in the Huffman code (§5.2).
    public init(
        _ representation: Representation, hasHuffmanName: Bool = false,
        hasHuffmanValue: Bool = false
    ) {
        rawValue =
            representation.rawValue | (hasHuffmanName ? FieldCoding.huffmanName : 0)
            | (hasHuffmanValue ? FieldCoding.huffmanValue : 0)
    }

    /// A coding that was stored as its number; nil where no coding has that number.
    public init?(rawValue: UInt8) {
        guard rawValue < 0x20,
            Representation(rawValue: rawValue & FieldCoding.representationMask) != nil
        else { return nil }
        self.rawValue = rawValue
    }

    /// The representation.
    public var representation: Representation {
        Representation(rawValue: rawValue & FieldCoding.representationMask) ?? .text
    }
    /// Whether the name was a literal in the Huffman code.
    public var hasHuffmanName: Bool { rawValue & FieldCoding.huffmanName != 0 }
    /// Whether the value was one.
    public var hasHuffmanValue: Bool { rawValue & FieldCoding.huffmanValue != 0 }
    /// Whether the line may enter no table on its way (RFC 7541 §7.1.3).
    public var isNeverIndexed: Bool { representation == .neverIndexed }
}
