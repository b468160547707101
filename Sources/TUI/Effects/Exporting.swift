public import HTTPModel

/// Writes exchanges into files.
public protocol Exporting: Sendable {
    /// Writes exchanges in a format of `proxyctl export` into a file that must not exist yet.
    /// - Parameters:
    ///   - ids: Which ones; nil for all that the filter lets through.
    ///   - format: `har`, `curl` or `jsonl`.
    ///   - progress: Told how many are written; false stops.
    /// - Returns: How many were written.
    func export(
        _ ids: [ExchangeID]?, filter: String, format: String, to path: String,
        progress: @Sendable (Int64) -> Bool
    ) throws -> Int64
}
