internal import Capture
internal import ProxydCaptureModel
internal import ProxydCentralStore
internal import ProxydFilter
internal import ProxydHTTPModel

/// Where exchanges are read from: a data directory, or a central store. What is sent and recorded
/// meanwhile goes to the data directory either way.
struct StorePlace: Sendable {
    /// The data directory.
    let directory: DataDirectory
    /// The central store that `--store` names, or nil. All parts of the program share its
    /// connections.
    let central: CentralReader?

    /// Opens the store for reading.
    /// - Parameter asksDaemon: Whether a running daemon first commits what has ended.
    func reader(asksDaemon: Bool = true) throws -> any ExchangeReading {
        guard let central else {
            return try StoreAccess.reader(directory, asksDaemon: asksDaemon)
        }
        return central
    }

    /// Lets a running daemon commit what has ended, for a request of an interface that keeps the
    /// store open.
    func commitEnded() {
        if central == nil { DaemonSettling.commitEnded(directory) }
    }

    /// Opens the store for an interface, which explains the store's own errors itself.
    func interfaceReader() throws -> any ExchangeReading {
        guard let central else { return try StoreReader(directory: directory) }
        return central
    }

    /// Opens the store for statements that users write.
    func sqlReader() throws -> any SQLReading {
        guard let central else {
            return try StoreAccess.reader(directory)
        }
        return central
    }

    /// Follows what is new in the store, from now on.
    func follower(_ filter: Filter) throws -> any ExchangeFollowing {
        if let central {
            return try StoreAccess.attempt { () throws(StoreError) in
                try CentralFollower(central, filter)
            }
        }
        let reader = try reader(asksDaemon: false)
        return try StoreAccess.attempt { () throws(StoreError) in
            try ExchangeFollower(reader, filter)
        }
    }

    /// Tells the store apart from one that replaces it; nil if there is none.
    var identity: UInt64? { central == nil ? StoreAccess.identity(directory) : 1 }

    /// Waits for changes of the store.
    func watch() -> any StoreWatching {
        guard let central else { return ChangeWatch(directory) }
        return CentralWatch(central)
    }

    /// Waits for changes on behalf of an interface, from any thread.
    func newsWatch() -> any StoreNewsWatching {
        guard let central else { return StoreNewsWatch(directory) }
        return CentralWatch(central)
    }
}

/// Finds what is new in a store.
protocol ExchangeFollowing {
    /// Returns matching rows that are new or have ended since the last call.
    mutating func news() throws(StoreError) -> [ExchangeRow]
}

extension CentralFollower: ExchangeFollowing {}

/// Waits for changes of a store.
protocol StoreWatching {
    /// Returns after a change, or after a moment.
    @discardableResult
    func wait() -> Bool
}

/// Waits for changes of a store, from any thread.
protocol StoreNewsWatching: Sendable {
    /// Waits a moment; returns whether there may be changes.
    func wait() -> Bool
}
