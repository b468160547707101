internal import Capture
internal import ProxydCaptureModel
internal import ProxydControl
internal import Glibc
internal import ProxydFilter
internal import ProxydHTTPModel

/// Changes a store: through the daemon where one runs, else as its one writer.
enum StoreChanger {
    case daemon(ControlClient)
    case ourselves(Recorder, any ExchangeReading)

    /// Long enough for a daemon to start or another command to end, in microseconds.
    private static let retryUs: UInt32 = 50_000
    private static let retryCountMax = 100
    /// Clearing a large store takes time, in nanoseconds.
    private static let timeoutNs: Int64 = 600_000_000_000

    /// Finds the daemon, or takes the store's lock.
    static func open(_ directory: DataDirectory) throws -> StoreChanger {
        for attempt in 0...retryCountMax {
            if let client = try daemon(directory) { return .daemon(client) }
            // Opening it for reading first: a command must not make a store.
            let reader = try StoreAccess.reader(directory)
            do throws(StoreError) {
                return .ourselves(
                    try Recorder(directory: directory, configuration: configuration), reader)
            } catch {
                guard case .busy = error, attempt < retryCountMax else {
                    throw CommandFailure(error.description)
                }
                usleep(retryUs)
            }
        }
        throw CommandFailure("\(directory.storePath) is in use")
    }

    /// A connection to the daemon; nil where none runs.
    static func daemon(_ directory: DataDirectory) throws -> ControlClient? {
        do throws(ControlError) {
            return try ControlClient(dataDirectory: directory.path, timeoutNs: timeoutNs)
        } catch {
            if error.kind == .notRunning { return nil }
            throw CommandFailure(error.message)
        }
    }

    /// What a command writes is safe when it ends; deleting old exchanges is the daemon's work.
    private static var configuration: RecorderConfiguration {
        var configuration = RecorderConfiguration()
        configuration.durability = .always
        configuration.retention = RetentionPolicy()
        return configuration
    }

    /// Changes note, tags or pin of an exchange.
    func annotate(_ change: ProxydControl.AnnotationMessage) throws {
        switch self {
        case .daemon(let client):
            try DaemonAccess.attempt { () throws(ControlError) in try client.annotate(change) }
        case .ourselves(let recorder, _):
            let change = AnnotationChange(
                id: ExchangeID(rawValue: change.exchangeID), note: change.note,
                addedTags: change.addedTags, removedTags: change.removedTags,
                isPinned: change.isPinned)
            try StoreAccess.attempt { () throws(StoreError) in
                try recorder.wait { recorder.annotate(change, completion: $0) }
            }
            recorder.stop()
        }
    }

    /// Keeps files that describe messages, in place of those of their names.
    func addProtoFiles(_ files: [ProtoFile]) throws {
        switch self {
        case .daemon(let client):
            try DaemonAccess.attempt { () throws(ControlError) in
                for file in files {
                    try client.addProtoFile(
                        ProtoFileMessage(name: file.name, octets: file.octets))
                }
            }
        case .ourselves(let recorder, _):
            try StoreAccess.attempt { () throws(StoreError) in
                try recorder.wait { recorder.addProtoFiles(files, completion: $0) }
            }
            recorder.stop()
        }
    }

    /// Forgets the file of a name that describes messages; whether there was one.
    func removeProtoFile(named name: String) throws -> Bool {
        switch self {
        case .daemon(let client):
            return try DaemonAccess.attempt { () throws(ControlError) in
                do throws(ControlError) {
                    try client.removeProtoFile(named: name)
                    return true
                } catch {
                    if error.kind == .notFound { return false }
                    throw error
                }
            }
        case .ourselves(let recorder, _):
            let isThere = try StoreAccess.attempt { () throws(StoreError) in
                try recorder.wait { recorder.removeProtoFile(named: name, completion: $0) }
            }
            recorder.stop()
            return isThere
        }
    }

    /// Deletes what a filter matches; without one, everything that is not pinned. How many
    /// exchanges that were.
    func clear(_ filter: Filter?) throws -> Int {
        switch self {
        case .daemon(let client):
            return try DaemonAccess.attempt { () throws(ControlError) in
                try client.clear(filter: filter?.text)
            }
        case .ourselves(let recorder, let reader):
            let count = try StoreAccess.attempt { () throws(StoreError) in
                let selection = try StoreChanger.selection(filter, reader)
                return try recorder.wait { recorder.clear(selection, completion: $0) }
            }
            recorder.stop()
            return Int(clamping: count)
        }
    }

    private static func selection(
        _ filter: Filter?, _ reader: any ExchangeReading
    ) throws(StoreError) -> ClearSelection {
        guard let filter else { return .unpinned }
        var ids: [ExchangeID] = []
        try reader.forEachRow(matching: filter, .oldest) { row in
            ids.append(row.id)
            return true
        }
        return .exchanges(ids)
    }
}
