internal import Capture
internal import ProxydCaptureModel

/// Opens the store of a data directory for reading, with errors that a person can act on.
enum StoreAccess {
    static func reader(_ directory: DataDirectory) throws -> StoreReader {
        OwnerIdentity.assume(of: directory.path)
        return try attempt { () throws(StoreError) in try StoreReader(directory: directory) }
    }

    /// Runs something of the store's; its errors become the command's.
    static func attempt<Value>(_ body: () throws(StoreError) -> Value) throws -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            throw CommandFailure(error.description)
        }
    }
}
