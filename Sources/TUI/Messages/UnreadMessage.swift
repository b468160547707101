internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// A message that is read completely only if a filter tests its text. Confined to one thread.
final class UnreadMessage: MessageFilterSubject {
    let row: MessageRow
    private let whole: () throws -> MessageRow?
    private var known: [UInt8]?
    /// Why the message could not be read.
    private(set) var failure: (any Error)?

    /// Creates a message whose start is known.
    init(_ row: MessageRow, whole: @escaping () throws -> MessageRow?) {
        self.row = row
        self.whole = whole
    }

    var direction: MessageRecord.Direction { row.direction }
    var kind: MessageRecord.Kind { row.kind }
    var byteCount: Int64 { row.byteCount }
    var problem: String? { row.problem }

    var bytes: [UInt8] {
        if let known { return known }
        do {
            known = try whole()?.bytes
        } catch {
            failure = error
        }
        let bytes = known ?? row.bytes
        known = bytes
        return bytes
    }
}
