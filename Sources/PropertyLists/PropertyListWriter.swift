public import ProxydParameterCoding

/// Writes property lists, XML and binary.
///
/// Members keep their order, and sets become arrays. In binary lists, an object with the single
/// member `CF$UID` and an integer value is written as a UID, as Apple's tools do.
public struct PropertyListWriter: Sendable, Hashable {
    /// The format of the lists.
    public var format: PropertyListFormat

    /// The maximum nesting depth, equal to the reader's default.
    static let depthMax = 512

    /// Creates a writer with the given format.
    public init(format: PropertyListFormat = .xml) {
        self.format = format
    }

    /// Writes a value as a list.
    /// - Throws: if the value cannot be represented in the format.
    public func write(_ parameter: Parameter) throws(PropertyListWritingError) -> [UInt8] {
        switch format {
        case .xml:
            var writer = XMLPropertyListWriter()
            return try writer.document(parameter)
        case .binary:
            var writer = BinaryPropertyListWriter()
            return try writer.document(parameter)
        }
    }
}
