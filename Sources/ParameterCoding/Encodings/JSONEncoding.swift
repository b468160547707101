/// Encodes parameters as the JSON text of a body.
public struct JSONEncoding: Sendable {
    /// How the text is written.
    public var writer: JSONWriter
    /// Encodes the parameters of methods whose parameters go into the query, regardless of its
    /// destination; nil writes a body for every method.
    public var queryEncoding: URLEncoding?

    /// The Content-Type if the request has none.
    public static let contentType = "application/json"

    /// One line, with members in the given order.
    public static let `default` = JSONEncoding()
    /// Indented by two spaces, with members in the given order.
    public static let prettyPrinted = JSONEncoding(writer: JSONWriter(indentationByteCount: 2))
    /// One line, members sorted at every level.
    public static let sortedKeys = JSONEncoding(writer: JSONWriter(keyOrder: .sorted))
    /// The format of Alamofire's `JSONEncoding`: slashes escaped, `1.0` as `1`. Its order of
    /// members is random; here it is as given.
    public static let alamofire = JSONEncoding(
        writer: JSONWriter(escapesSlashes: true, writesWholeDoublesAsIntegers: true)
    )
    /// The format of AFNetworking's `AFJSONRequestSerializer`: GET, HEAD and DELETE have a query
    /// instead.
    public static let afNetworking = JSONEncoding(
        writer: alamofire.writer, queryEncoding: .afNetworking)

    /// Creates an encoding with the given writer.
    public init(writer: JSONWriter = JSONWriter(), queryEncoding: URLEncoding? = nil) {
        self.writer = writer
        self.queryEncoding = queryEncoding
    }

    /// Encodes the body.
    /// - Throws: if a value cannot be represented in JSON.
    public func encode(_ parameter: Parameter) throws(JSONWritingError) -> [UInt8] {
        try writer.write(parameter)
    }
}
