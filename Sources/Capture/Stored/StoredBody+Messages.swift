internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydHTTPWire

extension StoredBody {
    /// The bytes in which the positions of a body's messages are counted, if they differ from the
    /// body's own: with content codings removed and the base64 of grpc-web-text decoded. Returns
    /// nil if it has neither.
    static func messageBytes(
        of id: Int64, _ side: FilterSide, _ fields: HeaderFields?, _ database: SQLiteConnection
    ) throws(StoreError) -> [UInt8]? {
        guard let fields else { return nil }
        let isCoded = fields.first(.contentEncoding) != nil
        let isBase64 = MessageFraming(fields) == .grpcWebText
        guard isCoded || isBase64 else { return nil }
        let octets = try decoded(of: id, side, database)?.octets ?? []
        guard isBase64 else { return octets }
        var stream = Base64Stream()
        var bytes: [UInt8] = []
        stream.decode(octets.span, into: &bytes)
        return bytes
    }
}
