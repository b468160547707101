/// Parameters as the JSON text of a body.
public struct JSONEncoding: Sendable {
    /// How the text is written.
    public var writer: JSONWriter
    /// Encodes the parameters of methods that have them in the query, whatever its destination;
    /// nil writes a body for every method.
    public var queryEncoding: URLEncoding?

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
    /// As AFNetworking's `AFJSONRequestSerializer`: GET, HEAD and DELETE have a query instead.
    public static let afNetworking = JSONEncoding(
        writer: alamofire.writer, queryEncoding: .afNetworking)

    /// An encoding that writes its texts in the given way.
    public init(writer: JSONWriter = JSONWriter(), queryEncoding: URLEncoding? = nil) {
        self.writer = writer
        self.queryEncoding = queryEncoding
    }

    /// The octets of the body.
    /// - Throws: where a value has no form in JSON.
    public func encode(_ parameter: Parameter) throws(JSONWritingError) -> [UInt8] {
        try writer.write(parameter)
    }
}
