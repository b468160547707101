internal import Capture
internal import Glibc
internal import Logging
internal import ProxydCaptureModel
internal import ProxydControl

/// Opens the store for the daemon.
///
/// While no daemon runs, `proxyship` and commands of `proxyctl` write to the store themselves, most
/// of them for milliseconds. The daemon waits for them, but not for another daemon.
struct StoreStart {
    private static let retryUs: UInt32 = 50_000
    /// Ten seconds of retries.
    private static let retryCountMax = 200

    let directory: DataDirectory
    let configuration: RecorderConfiguration
    let logger: Logger

    /// Starts recording, or throws `.busy` if the store has not been released in time.
    func recorder() throws(StoreError) -> Recorder {
        var retryCount = 0
        while true {
            do throws(StoreError) {
                return try Recorder(directory: directory, configuration: configuration)
            } catch {
                guard case .busy = error, retryCount < StoreStart.retryCountMax, !hasDaemon
                else { throw error }
                if retryCount == 0 { logger.notice("\(error); waiting up to 10 s for it") }
                retryCount += 1
                usleep(StoreStart.retryUs)
            }
        }
    }

    /// Whether a daemon runs; also true if that cannot be found out.
    private var hasDaemon: Bool {
        do throws(ControlError) {
            _ = try ControlClient(dataDirectory: directory.path)
            return true
        } catch {
            return error.kind != .notRunning
        }
    }
}
