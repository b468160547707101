/// Why bytes are no message of protocol buffers, or are not read on.
public struct ProtobufError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Kind: Sendable, Hashable {
        /// The bytes end within a field.
        case truncated
        /// A varint of more than ten bytes.
        case longVarint
        /// A field number that is not in 1…2²⁹-1.
        case fieldNumber
        /// Wire type 6 or 7, which do not exist.
        case wireType
        /// The end of a group that was not open.
        case strayGroupEnd
        /// Messages or groups within each other beyond `ProtobufLimits.depthMax`.
        case tooDeep
        /// More than a limit lets anyone look at.
        case tooMuch
        /// A description of a file in which a name or a type is missing.
        case incomplete
    }

    /// What is wrong.
    public var kind: Kind
    /// Where, in bytes after the start of what was read.
    public var offset: Int

    /// An error at a place.
    public init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }

    /// For a person, one line.
    public var description: String { "\(words) at byte \(offset)" }

    private var words: String {
        switch kind {
        case .truncated: "ends within a field"
        case .longVarint: "a varint of more than ten bytes"
        case .fieldNumber: "no valid field number"
        case .wireType: "no valid wire type"
        case .strayGroupEnd: "the end of a group that was not open"
        case .tooDeep: "nested too deep"
        case .tooMuch: "more than is looked at"
        case .incomplete: "a description without a name or a type"
        }
    }
}
