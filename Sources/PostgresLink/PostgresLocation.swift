internal import ProxydCPostgres
package import ProxydCentralStore

/// Where a central store is: a `postgresql:` URI (PostgreSQL manual, 34.1.1.2) without a password.
package struct PostgresLocation: Sendable, Hashable {
    /// The URI as given.
    package let uri: String
    /// Whether the URI names a service of `pg_service.conf`.
    let namesService: Bool

    /// Checks a URI. Passwords are refused, because arguments and configurations are read by many.
    package init(_ uri: String) throws(CentralError) {
        guard uri.hasPrefix("postgresql://") || uri.hasPrefix("postgres://") else {
            throw .location("a central store is named by a URI that starts with postgresql://")
        }
        let options = try PostgresLocation.options(uri)
        guard ["password", "sslpassword", "oauth_client_secret"].allSatisfy({ options[$0] == nil })
        else {
            throw .location(
                "the URI contains a password; put it into ~/.pgpass or the file named by "
                    + "PGPASSFILE, or use a client certificate")
        }
        self.uri = uri
        namesService = options["service"] != nil
    }

    /// The options in the URI that are not defaults.
    private static func options(_ uri: String) throws(CentralError) -> [String: String] {
        var problem: UnsafeMutablePointer<CChar>?
        guard let parsed = PQconninfoParse(uri, &problem) else {
            // libpq's message quotes the URI, which may contain a password.
            if let problem { PQfreemem(problem) }
            throw .location("the URI of the central store is malformed")
        }
        defer { PQconninfoFree(parsed) }
        return PostgresConnecting.values(parsed)
    }
}
