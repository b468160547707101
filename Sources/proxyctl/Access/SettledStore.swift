internal import ProxydCaptureModel

/// A store that has everything that ended before it was opened.
struct SettledStore {
    let reader: any ExchangeReading
    /// What the record lacks; empty if no daemon is writing to the store.
    let gaps: [String]

    /// Opens the store that the options name, after a running daemon has stored what is under way.
    /// - Throws: with an exit code of its own if there is no store.
    init(_ reading: ReadOptions, _ global: GlobalOptions) throws {
        let isOfDaemon =
            reading.filePath == nil && !LeadingFile.isNamed && global.storeURI == nil
        let status =
            isOfDaemon ? try DaemonSettling.wait(for: global.dataDirectory()) : nil
        gaps = status.map(RecordGaps.ofRunning) ?? []
        do {
            reader = try reading.place(global).reader()
        } catch let failure as CommandFailure {
            throw CommandFailure(failure.message, code: .noInput)
        }
    }
}
