internal import Capture
internal import Glibc
internal import ProxydOperations

/// What to do next, for users who see nothing.
enum NextStep {
    /// For a data directory without a store.
    static func withoutStore(_ directory: DataDirectory) -> String {
        let facts = facts(directory)
        guard facts.isDaemonRunning == false else { return withoutTraffic(facts) }
        return "start the proxy with \(facts.daemonCommand ?? "proxyd"), or name another data "
            + "directory with --data-dir"
    }

    /// For a store that cannot be read.
    static func withUnusableStore(_ directory: DataDirectory) -> String {
        guard faccessat(AT_FDCWD, directory.storePath, R_OK, AT_EACCESS) == 0 else {
            return "run proxyctl as the user who runs proxyd, or name another data directory with "
                + "--data-dir"
        }
        return "move it away, so that proxyd can create a store there, or name another data "
            + "directory with --data-dir"
    }

    /// For a command that needs a running daemon.
    static func withoutDaemon(_ directory: DataDirectory) -> String {
        "start the proxy with \(facts(directory).daemonCommand ?? "proxyd")"
    }

    /// For a store without exchanges.
    static func withoutTraffic(_ directory: DataDirectory) -> String {
        withoutTraffic(facts(directory))
    }

    private static func withoutTraffic(_ facts: StatusFacts) -> String {
        guard facts.isDaemonRunning != false else {
            return "start the proxy with \(facts.daemonCommand ?? "proxyd")"
        }
        return "send something through the proxy, as with curl -x \(facts.proxyURL) "
            + "http://example.com/"
    }

    private static func facts(_ directory: DataDirectory) -> StatusFacts {
        DaemonInspector(directory, DaemonHolds(directory)).facts()
    }
}
