internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydStoreCoding

extension StoredBody {
    /// The bytes in which the positions of a body's messages are counted, or nil if they are the
    /// body's own.
    static func messageBytes(
        of id: Int64, _ part: BodyPart, _ fields: HeaderFields?, _ database: SQLiteConnection
    ) throws(StoreError) -> [UInt8]? {
        guard let fields, BodyDecoding.hasMessageBytes(fields) else { return nil }
        return BodyDecoding.messageBytes(try bytes(of: id, part, database), fields)
    }
}
