internal import ProxydControl

/// What commands ask of a daemon.
enum DaemonAccess {
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
