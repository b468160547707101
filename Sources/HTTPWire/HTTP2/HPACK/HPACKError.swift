/// Why bytes are not a valid HPACK field block (RFC 7541). Each error ends the connection (RFC 9113
/// §4.3).
enum HPACKError: Error, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The block ends inside a field line.
    case truncated
    /// A number above 2³¹−1, or of more than six bytes (§5.1).
    case integerTooLarge
    /// The index is zero, or neither table has an entry with it (§2.3.3).
    case badIndex
    /// A string contains the EOS code (§5.2).
    case endOfString
    /// A string ends with more than seven bits of padding, or with padding other than the first
    /// bits of EOS (§5.2).
    case badPadding
    /// A table size above the allowed maximum (§6.3).
    case tableSizeTooLarge
    /// A table size update after a field line, or a third one (§4.2).
    case misplacedTableSize
    /// No table size update after the maximum was lowered (§4.2).
    case missingTableSize

    /// A one-line message for the user.
    var description: String {
        switch self {
        case .truncated: "a field block ends inside a field line"
        case .integerTooLarge: "a number in a field block is too large"
        case .badIndex: "a field block refers to an entry that is in no table"
        case .endOfString: "a Huffman string holds the end-of-string code"
        case .badPadding: "a Huffman string does not end in valid padding"
        case .tableSizeTooLarge: "a table size is above the one that was allowed"
        case .misplacedTableSize: "a table size is not at the beginning of a field block"
        case .missingTableSize: "a lowered table size was not acknowledged"
        }
    }
}
