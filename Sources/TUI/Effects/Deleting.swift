/// Deletes exchanges: through the daemon where one runs.
public protocol Deleting: Sendable {
    /// Deletes what a filter passes, pinned or not, and returns how many exchanges that were when
    /// they are gone. Throws what a person is told.
    func delete(passing filter: String) throws -> Int
}
