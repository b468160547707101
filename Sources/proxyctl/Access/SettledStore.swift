internal import ProxydCaptureModel

/// A store that has everything that ended before it was opened.
struct SettledStore {
    let reader: any ExchangeReading
    /// What the record lacks; empty if nothing is known to be missing.
    let gaps: [String]

    /// Opens the store that the options name, after a running daemon has stored what is under way.
    /// - Throws: with an exit code of its own if there is no store.
    init(_ reading: ReadOptions, _ global: GlobalOptions) throws {
        if reading.namesFile {
            reader = try SettledStore.reader(reading, global)
            gaps = FileStore.current.gaps
        } else {
            let isLocal = global.storeURI == nil
            let status = isLocal ? try DaemonSettling.wait(for: global.dataDirectory()) : nil
            reader = try SettledStore.reader(reading, global)
            gaps = status.map(RecordGaps.ofRunning) ?? []
        }
    }

    private static func reader(
        _ reading: ReadOptions, _ global: GlobalOptions
    ) throws -> any ExchangeReading {
        do {
            return try reading.place(global).reader()
        } catch let failure as CommandFailure {
            throw CommandFailure(failure.message, code: .noInput, nextStep: failure.nextStep)
        }
    }
}
