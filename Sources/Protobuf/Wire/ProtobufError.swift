/// Why bytes are not a valid Protocol Buffers message, or exceed a limit.
public struct ProtobufError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error.
    public enum Kind: Sendable, Hashable {
        /// The bytes end within a field.
        case truncated
        /// A varint of more than ten bytes.
        case longVarint
        /// A field number outside 1…2²⁹-1.
        case fieldNumber
        /// Wire type 6 or 7, which do not exist.
        case wireType
        /// A group end without a matching start.
        case strayGroupEnd
        /// Messages or groups nested more deeply than `ProtobufLimits.depthMax`.
        case tooDeep
        /// More data than a limit allows.
        case tooMuch
        /// A descriptor without a required name or type.
        case incomplete
    }

    /// The kind of error.
    public var kind: Kind
    /// The position of the error, in bytes from the start of the input.
    public var offset: Int

    /// Creates an error at a position.
    public init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }

    /// A one-line message for the user.
    public var description: String { "\(words) at byte \(offset)" }

    private var words: String {
        switch kind {
        case .truncated: "ends within a field"
        case .longVarint: "a varint of more than ten bytes"
        case .fieldNumber: "an invalid field number"
        case .wireType: "an invalid wire type"
        case .strayGroupEnd: "the end of a group that was not open"
        case .tooDeep: "nested too deep"
        case .tooMuch: "more than the limit"
        case .incomplete: "a description without a name or a type"
        }
    }
}
