public import ProxydParameterCoding

/// Writes property lists, XML and binary.
///
/// Members keep their order, and sets become arrays. An object with the one member `CF$UID` and
/// a whole number in it is written as a UID in binary lists, as Apple's tools do.
public struct PropertyListWriter: Sendable, Hashable {
    /// The form of the lists.
    public var format: PropertyListFormat

    /// The deepest nesting that is written: what is read unless told otherwise.
    static let depthMax = 512

    /// A writer of lists of the given form.
    public init(format: PropertyListFormat = .xml) {
        self.format = format
    }

    /// The octets of a value's list.
    /// - Throws: where a value has no form in the list.
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
