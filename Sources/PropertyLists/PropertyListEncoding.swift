public import ProxydParameterCoding

/// Parameters as the property list of a body.
public struct PropertyListEncoding: Sendable, Hashable {
    /// The form of the list.
    public var format: PropertyListFormat

    /// The value of Content-Type where the request has none.
    public static let contentType = "application/x-plist"

    /// XML.
    public static let xml = PropertyListEncoding(format: .xml)
    /// Binary.
    public static let binary = PropertyListEncoding(format: .binary)

    /// An encoding of the given form.
    public init(format: PropertyListFormat = .xml) {
        self.format = format
    }

    /// The octets of the body.
    /// - Throws: where a value has no form in property lists.
    public func encode(_ parameter: Parameter) throws(PropertyListWritingError) -> [UInt8] {
        try PropertyListWriter(format: format).write(parameter)
    }
}
