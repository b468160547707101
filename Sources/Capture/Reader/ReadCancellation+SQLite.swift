internal import GRDB
internal import ProxydCaptureModel

extension ReadCancellation {
    /// Runs a read on a connection that holds the connection's queue: nobody else's read can be
    /// interrupted in its place.
    static func reading<Value>(
        _ queue: DatabaseQueue, _ body: () throws -> Value
    ) throws -> Value {
        guard let current else { return try body() }
        do {
            return try current.reading(interrupt: { queue.interrupt() }, body)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            throw StoreError.cancelled
        }
    }
}
