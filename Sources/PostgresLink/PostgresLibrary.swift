internal import ProxydCPostgres

/// The client library of PostgreSQL.
package enum PostgresLibrary {
    /// The version that is linked, such as 15.7.
    package static var version: String {
        let number = PQlibVersion()
        return "\(number / 10_000).\(number % 10_000)"
    }
}
