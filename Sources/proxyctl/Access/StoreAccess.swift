internal import Capture
internal import Glibc
internal import ProxydCaptureModel

/// Opens the store of a data directory for reading, with errors that help users.
enum StoreAccess {
    /// - Parameter asksDaemon: Whether a running daemon first commits what has ended: not for
    ///   readers that follow what is recorded.
    static func reader(_ directory: DataDirectory, asksDaemon: Bool = true) throws -> StoreReader {
        OwnerIdentity.assume(of: directory.path)
        if asksDaemon { DaemonSettling.commitEnded(directory) }
        do throws(StoreError) {
            return try StoreReader(directory: directory)
        } catch {
            switch error {
            case .missing:
                throw CommandFailure(
                    error.description, nextStep: NextStep.withoutStore(directory))
            case .sqlite:
                // SQLite's messages do not name the file.
                throw CommandFailure(
                    "\(directory.storePath): \(error.description)",
                    nextStep: NextStep.withUnusableStore(directory))
            case .directory, .foreignFile:
                throw CommandFailure(
                    error.description, nextStep: NextStep.withUnusableStore(directory))
            default: throw CommandFailure(error.description)
            }
        }
    }

    /// The inode of the store's file, which no other file can have while this one is open; nil if
    /// there is no file.
    static func identity(_ directory: DataDirectory) -> UInt64? {
        var facts = stat()
        return stat(directory.storePath, &facts) == 0 ? UInt64(facts.st_ino) : nil
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
