internal import Capture
internal import ProxydControl

/// Access of commands to a daemon.
enum DaemonAccess {
    /// Connects to the daemon of a data directory, or throws if none is running.
    static func running(_ global: GlobalOptions) throws -> ControlClient {
        let directory = try global.dataDirectory()
        guard let client = try StoreWriter.daemon(directory) else {
            throw CommandFailure(
                "no daemon is running on \(directory.path)",
                nextStep: NextStep.withoutDaemon(directory))
        }
        return client
    }

    /// Performs an operation over the control socket; errors are reported with the daemon's
    /// message.
    static func attempt<Value>(
        _ body: () throws(ControlError) -> Value
    ) throws -> Value {
        do throws(ControlError) {
            return try body()
        } catch {
            throw CommandFailure(error.message)
        }
    }
}
