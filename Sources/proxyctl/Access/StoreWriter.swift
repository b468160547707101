internal import Capture
internal import ProxydCaptureModel
internal import ProxydControl

/// The process that writes to a store: the daemon if one is running, otherwise this one.
enum StoreWriter {
    case daemon(ControlClient)
    case ourselves(Recorder)

    /// How long to wait for a daemon that is starting or a command that is ending.
    private static let waitSeconds = 5
    /// The timeout for commands to the daemon in nanoseconds; clearing a large store takes time.
    private static let timeoutNs: Int64 = 600_000_000_000

    /// Connects to the daemon, or takes the store's lock. The store is created if it does not
    /// exist.
    static func open(
        _ directory: DataDirectory, _ configuration: RecorderConfiguration
    ) throws -> StoreWriter {
        do {
            return try StoreRetry.whileBusy(seconds: waitSeconds) {
                if let client = try daemon(directory) { return .daemon(client) }
                return .ourselves(
                    try Recorder(directory: directory, configuration: configuration))
            }
        } catch let error as StoreError {
            throw CommandFailure(error.description)
        }
    }

    /// Connects to the daemon, or returns nil if none is running.
    static func daemon(_ directory: DataDirectory) throws -> ControlClient? {
        do throws(ControlError) {
            return try ControlClient(dataDirectory: directory.path, timeoutNs: timeoutNs)
        } catch {
            if error.kind == .notRunning { return nil }
            throw CommandFailure(error.message)
        }
    }
}
