internal import Capture
internal import Logging
internal import ProxydCaptureModel
internal import ProxydControl

/// Opens the store for the daemon.
///
/// While no daemon is running, `proxyship` and commands of `proxyctl` write to the store
/// themselves. The daemon waits for them, but not for another daemon.
struct StoreStart {
    private static let waitSeconds = 10

    let directory: DataDirectory
    let configuration: RecorderConfiguration
    let logger: Logger

    /// Starts recording, or throws `.busy` if the store has not been released in time.
    func recorder() throws -> Recorder {
        var isTold = false
        return try StoreRetry.whileBusy(seconds: StoreStart.waitSeconds) { error in
            guard !hasDaemon else { return false }
            if !isTold {
                logger.notice("\(error); waiting up to \(StoreStart.waitSeconds) s for it")
            }
            isTold = true
            return true
        } attempt: {
            try Recorder(directory: directory, configuration: configuration)
        }
    }

    /// Whether a daemon is running; also true if that cannot be determined.
    private var hasDaemon: Bool {
        do throws(ControlError) {
            _ = try ControlClient(dataDirectory: directory.path)
            return true
        } catch {
            return error.kind != .notRunning
        }
    }
}
