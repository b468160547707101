/// Writes JSON texts (RFC 8259): what is read by `JSONReader` and written again has the same
/// order, the same duplicate names and the same digits.
public struct JSONWriter: Sendable, Hashable {
    /// The order of an object's members.
    public enum KeyOrder: Sendable, Hashable {
        /// As they are in the value.
        case asGiven
        /// By the names' Unicode scalars, at every level; members of one name keep their order.
        /// Elements of arrays are never moved, those of sets are in the order of their text.
        case sorted
    }

    /// The order of members.
    public var keyOrder: KeyOrder
    /// Spaces for each level of nesting, a line for each value; nil writes everything on one
    /// line without white space.
    public var indentationByteCount: Int?
    /// Whether `/` is written as `\/`, as Foundation does unless told otherwise.
    public var escapesSlashes: Bool
    /// Whether U+2028 and U+2029 are escaped. On: JavaScript once took them for line ends.
    public var escapesLineSeparators: Bool
    /// Whether a double without a fraction is written without `.0`, as Foundation does.
    public var writesWholeDoublesAsIntegers: Bool
    /// The deepest nesting of arrays and objects. Values over 1,024 mean 1,024.
    public var depthMax: Int {
        didSet { depthMax = min(depthMax, 1_024) }
    }
    /// How points in time are written.
    public var dates: JSONDateStyle
    /// How octets are written.
    public var data: JSONDataStyle

    /// A writer of compact texts in the order of the value, unless told otherwise.
    public init(
        keyOrder: KeyOrder = .asGiven,
        indentationByteCount: Int? = nil,
        escapesSlashes: Bool = false,
        escapesLineSeparators: Bool = true,
        writesWholeDoublesAsIntegers: Bool = false,
        depthMax: Int = 512,
        dates: JSONDateStyle = .deferredToDate,
        data: JSONDataStyle = .base64
    ) {
        self.keyOrder = keyOrder
        self.indentationByteCount = indentationByteCount
        self.escapesSlashes = escapesSlashes
        self.escapesLineSeparators = escapesLineSeparators
        self.writesWholeDoublesAsIntegers = writesWholeDoublesAsIntegers
        self.depthMax = min(depthMax, 1_024)
        self.dates = dates
        self.data = data
    }

    /// The text of a value.
    /// - Throws: where a number is none of JSON's grammar, or the nesting is too deep.
    public func write(_ value: JSONValue) throws(JSONWritingError) -> [UInt8] {
        var output = JSONOutput(style: self)
        try output.write(.value(value))
        return output.octets
    }

    /// The text of a parameter. `raw` octets are written as they are: whoever made them vouches
    /// for them.
    /// - Throws: where a number has no form in JSON, a date none in the style, or the nesting is
    ///   too deep.
    public func write(_ parameter: Parameter) throws(JSONWritingError) -> [UInt8] {
        var output = JSONOutput(style: self)
        try output.write(.parameter(parameter))
        return output.octets
    }
}
