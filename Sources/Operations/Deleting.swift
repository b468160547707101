/// Deletes exchanges, through the daemon if one is running.
public protocol Deleting: Sendable {
    /// Deletes the exchanges that match a filter, pinned or not, and returns their number once they
    /// are deleted. Throws an error message for the user.
    func delete(passing filter: String) throws -> Int
}
