internal import Capture
internal import Glibc
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

/// The environment of the program.
enum ProgramEnvironment {
    /// All variables.
    static var variables: [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "="), equals != text.startIndex {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            next += 1
        }
        return variables
    }
}
