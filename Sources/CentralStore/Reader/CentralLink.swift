internal import ProxydCaptureModel
internal import Synchronization

/// The connection of a reader, shared by several threads that use it one after another. It is
/// opened when it is first used, and again after it was lost.
package final class CentralLink: Sendable {
    /// Why this is safe: it is used only while `turn` is held; cancellers may be used by any
    /// thread.
    nonisolated(unsafe) private var connection: (any CentralConnection)?
    private let turn = Mutex(())
    private let open: @Sendable () throws(CentralError) -> any CentralConnection

    /// Creates a link that `open` connects.
    package init(_ open: @escaping @Sendable () throws(CentralError) -> any CentralConnection) {
        self.open = open
    }

    /// Runs statements, none of which another thread's come between. The current
    /// `ReadCancellation` ends them.
    func use<Value>(
        _ body: (any CentralConnection) throws(CentralError) -> Value
    ) throws(StoreError) -> Value {
        var result: Result<Value, any Error> = .failure(StoreError.stopped)
        turn.withLock { _ in result = Result { try perform(body) } }
        do {
            return try result.get()
        } catch let error as StoreError {
            throw error
        } catch let error as CentralError {
            throw error.storeError
        } catch {
            throw .central("\(error)")
        }
    }

    /// A connection that was idle may have been closed, which is found out only by using it: the
    /// statements of a reader can be tried again.
    private func perform<Value>(
        _ body: (any CentralConnection) throws(CentralError) -> Value
    ) throws -> Value {
        let isFresh = connection == nil
        do {
            return try performOnce(body)
        } catch CentralError.connection(let message) {
            connection = nil
            if isFresh { throw CentralError.connection(message) }
            return try performOnce(body)
        }
    }

    private func performOnce<Value>(
        _ body: (any CentralConnection) throws(CentralError) -> Value
    ) throws -> Value {
        let connection = try self.connection ?? open()
        self.connection = connection
        let canceller = connection.canceller
        canceller.reset()
        guard let cancellation = ReadCancellation.current else { return try body(connection) }
        return try cancellation.reading(interrupt: { canceller.cancel() }) {
            try body(connection)
        }
    }
}
