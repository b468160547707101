internal import Capture
internal import ProxydCaptureModel
internal import ProxydControl
internal import Glibc

enum DaemonAccess {
    /// Connects to the daemon of a data directory, or throws if none is running.
    static func running(_ global: GlobalOptions) throws -> ControlClient {
        let directory = try global.dataDirectory()
        guard let client = try WritingProcess.daemon(directory) else {
            throw CommandFailure(
                "no daemon is running on \(directory.path)",
                nextStep: NextStep.withoutDaemon(directory))
        }
        return client
    }
}

/// The process that writes to a store: the daemon if one is running, otherwise this one.
enum WritingProcess {
    case daemon(ControlClient)
    case ourselves(Recorder)

    /// How long to wait for a daemon that is starting or a command that is ending.
    private static let waitSeconds = 5
    /// The timeout for commands to the daemon in nanoseconds; clearing a large store takes time.
    private static let timeoutNs: Int64 = 600_000_000_000

    /// Connects to the daemon, or takes the store's lock. Creates a store that does not exist.
    static func open(
        _ directory: DataDirectory, _ configuration: RecorderConfiguration
    ) throws -> WritingProcess {
        try StoreRetry.whileBusy(seconds: waitSeconds) {
            if let client = try daemon(directory) { return .daemon(client) }
            return .ourselves(try Recorder(directory: directory, configuration: configuration))
        }
    }

    /// Connects to the daemon, or returns nil if none is running.
    static func daemon(_ directory: DataDirectory) throws -> ControlClient? {
        do throws(ControlError) {
            return try ControlClient(dataDirectory: directory.path, timeoutNs: timeoutNs)
        } catch {
            if error.kind == .notRunning { return nil }
            throw error
        }
    }
}

/// Waits for what a running daemon has not stored yet: until it has committed what has ended, or,
/// for a command that follows a program's end, has recorded what is under way.
enum DaemonFlush {
    /// How long exchanges may take to end: some, such as event streams, never do.
    private static let exchangePatience = Duration.seconds(1)
    /// How long the recorder may take to store what has ended.
    private static let queuePatience = Duration.seconds(5)
    /// How long a command waits for the daemon's commit before it reads, in nanoseconds.
    private static let commitPatienceNs: Int64 = 50_000_000
    /// The time between two checks in microseconds.
    private static let stepUs: UInt32 = 10_000

    /// Lets a running daemon commit what has ended, so that a command that reads the store sees
    /// everything that was requested before it. Returns soon in any case: a daemon may be busy, or
    /// too old to know the command, and the store can be read all the same.
    static func commitEnded(_ directory: DataDirectory) {
        let client = try? ControlClient(dataDirectory: directory.path, timeoutNs: commitPatienceNs)
        try? client?.commit()
    }

    /// Returns when everything is stored, or time is up; immediately if no daemon is running.
    /// - Returns: The daemon's status then; nil if no daemon is running.
    @discardableResult
    static func wait(for directory: DataDirectory) throws -> DaemonStatus? {
        guard let client = try WritingProcess.daemon(directory) else { return nil }
        let start = ContinuousClock.now
        while true {
            let status = try client.status()
            let elapsed = ContinuousClock.now - start
            let mayEnd = status.activeExchangeCount > 0 && elapsed < exchangePatience
            let mayBeStored = status.queuedByteCount > 0 && elapsed < queuePatience
            guard mayEnd || mayBeStored else { return status }
            usleep(stepUs)
        }
    }
}

/// A store that has everything that ended before it was opened.
struct FlushedStore {
    let reader: any ExchangeReading
    /// What is missing in the record; empty if nothing is known to be missing.
    let gaps: [String]

    /// Opens the store that the options name, after a running daemon has stored what is under way.
    /// - Throws: with an exit code of its own if there is no store.
    init(_ reading: ReadOptions, _ global: GlobalOptions) throws {
        let isLocal = !reading.namesFile && global.storeURI == nil
        let status = isLocal ? try DaemonFlush.wait(for: global.dataDirectory()) : nil
        do {
            reader = try reading.location(global).reader()
        } catch {
            guard let failure = CommandFailure(explaining: error) else { throw error }
            throw CommandFailure(failure.message, code: .noInput, nextStep: failure.nextStep)
        }
        gaps = reading.namesFile ? FileStore.current.gaps : status.map(RecordGaps.ofRunning) ?? []
    }
}

/// What is missing in a daemon's record, so that a check of it could pass wrongly.
enum RecordGaps {
    /// For a daemon that was started for one program: whatever was not recorded since its start.
    static func ofOwn(_ directory: DataDirectory) -> [String] {
        guard let status = try? ControlClient(dataDirectory: directory.path).status() else {
            return ["proxyd ended before the command did, or does not answer"]
        }
        let counts = [
            (status.droppedExchangeCount, "exchanges were lost"),
            (status.droppedBodyByteCount, "bytes of bodies were lost"),
            (status.unrecordedExchangeCount ?? 0, "exchanges were not recorded"),
        ]
        return stop(status) + counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    }

    /// For a daemon that also serves others: whether it records now, and has stored what ended.
    /// - Parameter status: Its status, from `DaemonFlush`.
    static func ofRunning(_ status: DaemonStatus) -> [String] {
        guard status.queuedByteCount > 0 else { return stop(status) }
        return stop(status) + ["\(status.queuedByteCount) bytes are not stored yet"]
    }

    private static func stop(_ status: DaemonStatus) -> [String] {
        status.recordingStoppedBecause.map { ["recording is stopped: \($0)"] } ?? []
    }
}
