internal import Capture
internal import ProxydPostgresLink
internal import ProxydProcessSetup

/// The version of the program and its libraries.
enum Version {
    /// The output of `--version`.
    static var report: String {
        """
        proxyship \(ProgramVersion.number)
        libpq \(PostgresLibrary.version)
        SQLite \(StoreLibrary.version)
        """
    }
}
