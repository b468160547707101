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
    /// Five seconds of retries.
    private static let retryCountMax = 100
    /// How long another daemon may take to accept a connection, in nanoseconds.
    private static let daemonTimeoutNs: Int64 = 1_000_000_000

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
                if retryCount == 0 { logger.notice("\(error); waiting until it is released") }
                retryCount += 1
                usleep(StoreStart.retryUs)
            }
        }
    }

    private var hasDaemon: Bool {
        (try? ControlClient(
            dataDirectory: directory.path, timeoutNs: StoreStart.daemonTimeoutNs)) != nil
    }
}
