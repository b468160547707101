/// Parameters as the JSON text of a body.
public struct JSONEncoding: Sendable, Hashable {
    /// How the text is written.
    public var writer: JSONWriter

    /// The value of Content-Type where the request has none.
    public static let contentType = "application/json"

    /// One line, members as given.
    public static let `default` = JSONEncoding()
    /// Indented by two spaces, members as given.
    public static let prettyPrinted = JSONEncoding(writer: JSONWriter(indentationByteCount: 2))
    /// One line, members sorted at every level.
    public static let sortedKeys = JSONEncoding(writer: JSONWriter(keyOrder: .sorted))
    /// As Alamofire's `JSONEncoding` writes it: slashes escaped, `1.0` as `1`. Its order of
    /// members is random; here it is as given.
    public static let alamofire = JSONEncoding(
        writer: JSONWriter(escapesSlashes: true, writesWholeDoublesAsIntegers: true)
    )

    /// An encoding that writes its texts in the given way.
    public init(writer: JSONWriter = JSONWriter()) {
        self.writer = writer
    }

    /// The octets of the body.
    /// - Throws: where a value has no form in JSON.
    public func encode(_ parameter: Parameter) throws(JSONWritingError) -> [UInt8] {
        try writer.write(parameter)
    }
}
