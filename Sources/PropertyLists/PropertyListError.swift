internal import ProxydParameterCoding

/// Why octets are not a property list.
public struct PropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Kind: Sendable, Hashable {
        /// Neither `bplist00` nor XML with a property list in it.
        case notAPropertyList
        /// The list ends too early, or its trailer points outside of it.
        case truncated
        /// An element, tag or type octet that does not belong there.
        case unexpectedContent
        /// Something follows the list.
        case trailingContent
        /// A declared encoding other than UTF-8.
        case unsupportedEncoding
        /// Octets that are not text in the encoding they should have.
        case invalidText
        /// An entity other than XML's own five, or a document type with declarations: neither is
        /// ever followed.
        case entity
        /// A number, a date or Base64 that is none.
        case badValue
        /// A name of a dictionary that is not text, or a name without a value.
        case badName
        /// An object that holds itself.
        case cycle
        /// More nesting than the limit.
        case tooDeep
        /// More octets or values than the limit.
        case tooLarge
    }

    /// What is wrong.
    public let kind: Kind
    /// Octets before the error; in a binary list, before the object that has it.
    public let offset: Int

    init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }

    /// Plain words with the place; never a byte of the list.
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
            case .cycle: "an object that holds itself"
            case .tooDeep: "nested too deep"
            case .tooLarge: "too large"
            }
        return "offset \(offset): \(problem)"
    }
}
