/// Runs statements that users write, in the dialect of the store's engine.
public protocol SQLReading: Sendable {
    /// Runs one read-only statement and passes its rows on until `onRow` returns false. The column
    /// names are passed on first, exactly once, even if there are no rows.
    ///
    /// May take any amount of time, unless a `ReadCancellation` ends it. Throws `.notPermitted` or
    /// the engine's error for a statement that would write.
    func sql(
        _ text: String, onColumns: ([String]) throws(StoreError) -> Void,
        onRow: ([SQLValue]) throws(StoreError) -> Bool
    ) throws(StoreError)
}
