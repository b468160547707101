/// Writes JSON texts (RFC 8259): a text read by `JSONReader` and written again keeps its order,
/// duplicate names and digits.
public struct JSONWriter: Sendable, Hashable {
    /// The order of an object's members.
    public enum KeyOrder: Sendable, Hashable {
        /// As they are in the value.
        case asGiven
        /// By the names' Unicode scalars, at every level; members with equal names keep their
        /// order. Elements of arrays keep their order, those of sets are sorted by their text.
        case sorted
    }

    /// The order of members.
    public var keyOrder: KeyOrder
    /// The number of spaces per level of nesting, with one value per line; nil writes everything on
    /// one line without white space.
    public var indentationByteCount: Int?
    /// Whether `/` is written as `\/`, Foundation's default.
    public var escapesSlashes: Bool
    /// Whether U+2028 and U+2029 are escaped. On by default: older JavaScript treats them as line
    /// ends.
    public var escapesLineSeparators: Bool
    /// Whether a double without a fraction is written without `.0`, as Foundation does.
    public var writesWholeDoublesAsIntegers: Bool
    /// The maximum nesting depth of arrays and objects, capped at 1,024.
    public var depthMax: Int {
        didSet { depthMax = min(depthMax, 1_024) }
    }
    /// How dates are written.
    public var dates: JSONDateStyle
    /// How binary data is written.
    public var data: JSONDataStyle

    /// Creates a writer; by default it is compact and keeps the order of members.
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

    /// Writes a value.
    /// - Throws: if a number does not match JSON's grammar, or the nesting is too deep.
    public func write(_ value: JSONValue) throws(JSONWritingError) -> [UInt8] {
        var output = JSONOutput(style: self)
        try output.write(.value(value))
        return output.bytes
    }

    /// Writes a parameter. `raw` bytes are written unchanged; the caller is responsible for them.
    /// - Throws: if a number cannot be represented in JSON, a date cannot be represented in the
    ///   style, or the nesting is too deep.
    public func write(_ parameter: Parameter) throws(JSONWritingError) -> [UInt8] {
        var output = JSONOutput(style: self)
        try output.write(.parameter(parameter))
        return output.bytes
    }
}
