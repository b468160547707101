internal import Capture
internal import ProxydControl

/// What commands ask of a daemon.
enum DaemonAccess {
    /// The daemon of a data directory, which has to run.
    static func running(_ global: GlobalOptions) throws -> ControlClient {
        let directory = try global.dataDirectory()
        guard let client = try StoreChanger.daemon(directory) else {
            throw CommandFailure("no daemon runs on \(directory.path)")
        }
        return client
    }

    /// Does something over the control socket; what goes wrong is told in the daemon's words.
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
