internal import Capture
internal import ProxydCaptureModel
internal import ProxydControl
internal import ProxydFilter
internal import ProxydHTTPModel

/// Changes a store: through the daemon if one is running, otherwise as the store's only writer.
enum StoreChanger {
    case daemon(ControlClient)
    case ourselves(Recorder, any ExchangeReading)

    static func open(_ directory: DataDirectory) throws -> StoreChanger {
        if let client = try WritingProcess.daemon(directory) { return .daemon(client) }
        // Opened for reading first, because a command must not create a store.
        let reader = try StoreOpener.reader(directory)
        return switch try WritingProcess.open(directory, configuration) {
        case .daemon(let client): .daemon(client)
        case .ourselves(let recorder): .ourselves(recorder, reader)
        }
    }

    /// Changes by a command are durable when it ends; the daemon deletes old exchanges.
    private static var configuration: RecorderConfiguration {
        var configuration = RecorderConfiguration()
        configuration.durability = .always
        configuration.retention = RetentionPolicy()
        return configuration
    }

    /// Changes the notes, tags or pins of exchanges.
    func annotate(_ changes: [AnnotationChange]) throws {
        switch self {
        case .daemon(let client): for change in changes { try client.annotate(change) }
        case .ourselves(let recorder, _):
            defer { recorder.stop() }
            for change in changes {
                try recorder.wait { recorder.annotate(change, completion: $0) }
            }
        }
    }

    /// Stores files that describe messages, replacing those of the same names.
    func addProtoFiles(_ files: [ProtoFile]) throws {
        switch self {
        case .daemon(let client):
            for file in files { try client.addProtoFile(file) }
        case .ourselves(let recorder, _):
            try recorder.wait { recorder.addProtoFiles(files, completion: $0) }
            recorder.stop()
        }
    }

    /// Removes the description file with a name; returns whether it existed.
    func removeProtoFile(named name: String) throws -> Bool {
        switch self {
        case .daemon(let client):
            do throws(ControlError) {
                try client.removeProtoFile(named: name)
                return true
            } catch {
                if error.kind == .notFound { return false }
                throw error
            }
        case .ourselves(let recorder, _):
            let isThere = try recorder.wait {
                recorder.removeProtoFile(named: name, completion: $0)
            }
            recorder.stop()
            return isThere
        }
    }

    /// Deletes what matches a filter, or without one all unpinned exchanges; returns the number.
    func clear(_ filter: Filter?) throws -> Int {
        switch self {
        case .daemon(let client): return try client.clear(filter: filter?.text)
        case .ourselves(let recorder, let reader):
            let selection = try StoreChanger.selection(filter, reader)
            let count = try recorder.wait { recorder.clear(selection, completion: $0) }
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
