internal import Capture
internal import ProxydCaptureModel

/// Opens the store of a data directory for reading, with errors that help users.
enum StoreAccess {
    static func reader(_ directory: DataDirectory) throws -> StoreReader {
        OwnerIdentity.assume(of: directory.path)
        return try attempt { () throws(StoreError) in try StoreReader(directory: directory) }
    }

    /// Performs a store operation; its errors become errors of the command.
    static func attempt<Value>(_ body: () throws(StoreError) -> Value) throws -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            throw CommandFailure(error.description)
        }
    }
}
