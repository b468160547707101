internal import Capture
internal import ProxydEventLoops
internal import ProxydProcessSetup
internal import ProxydTLS

/// The version of the program and its libraries.
enum Version {
    /// This program's version.
    static let number = ProgramVersion.number

    /// The output of `--version`: the library versions at run time, for bug reports and for
    /// checking whether a fix is included.
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
