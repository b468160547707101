public import ProxydParameterCoding

/// Encodes parameters as the property list of a body.
public struct PropertyListEncoding: Sendable, Hashable {
    /// The format of the list.
    public var format: PropertyListFormat

    /// The Content-Type if the request has none.
    public static let contentType = "application/x-plist"

    /// Writes XML property lists.
    public static let xml = PropertyListEncoding(format: .xml)
    /// Writes binary property lists.
    public static let binary = PropertyListEncoding(format: .binary)

    /// Creates an encoding with the given format.
    public init(format: PropertyListFormat = .xml) {
        self.format = format
    }

    /// Encodes the body.
    /// - Throws: if a value cannot be represented in a property list.
    public func encode(_ parameter: Parameter) throws(PropertyListWritingError) -> [UInt8] {
        try PropertyListWriter(format: format).write(parameter)
    }
}
