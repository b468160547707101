internal import Capture
internal import ProxydEventLoops
internal import ProxydProcessSetup
internal import ProxydTLS

/// What the program is and what it runs with.
enum Version {
    /// This program's version.
    static let number = ProgramVersion.number

    /// What `--version` prints: the libraries as they are at run time, for bug reports and for
    /// those who have to know whether a fix is in.
    static var report: String {
        """
        proxyd \(number)
        libevent \(EventLibrary.version)
        \(TLSLibrary.version)
        SQLite \(StoreLibrary.version)
        jemalloc \(Allocator.version)
        """
    }
}
