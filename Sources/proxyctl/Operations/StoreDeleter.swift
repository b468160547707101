internal import Capture
internal import ProxydOperations

/// Deletes exchanges, as `proxyctl clear` does.
struct StoreDeleter: Deleting {
    private let directory: DataDirectory

    init(_ directory: DataDirectory) { self.directory = directory }

    func delete(passing filter: String) throws -> Int {
        try InterfaceFailure.explaining {
            try StoreChanger.open(directory).clear(try FilterArgument.parse(filter))
        }
    }
}
