internal import ProxydParameterCoding

/// Why bytes are not a valid property list.
public struct PropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error.
    public enum Kind: Sendable, Hashable {
        /// Neither `bplist00` nor XML that contains a property list.
        case notAPropertyList
        /// The list ends too early, or its trailer points outside of it.
        case truncated
        /// An element, tag or type byte that is not allowed at this position.
        case unexpectedContent
        /// Something follows the list.
        case trailingContent
        /// A declared encoding other than UTF-8.
        case unsupportedEncoding
        /// Bytes that are not valid text in the expected encoding.
        case invalidText
        /// An entity other than XML's five predefined ones, or a document type with declarations:
        /// neither is ever resolved.
        case entity
        /// An invalid number, date or Base64 text.
        case badValue
        /// A dictionary key that is not text, or a key without a value.
        case badName
        /// An object that contains itself.
        case cycle
        /// Nesting deeper than the limit.
        case tooDeep
        /// More bytes or values than the limit.
        case tooLarge
    }

    /// The kind of error.
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
