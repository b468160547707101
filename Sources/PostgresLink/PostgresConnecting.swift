internal import ProxydCPostgres
package import ProxydCentralStore
internal import Glibc

/// Connects through libpq, and checks where to and how before anything is sent.
enum PostgresConnecting {
    /// The bundle of the system's certificate authorities on Debian, and on Red Hat.
    private static let systemBundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    ]

    static func connect(
        _ location: PostgresLocation, _ program: String, _ timeoutSeconds: Int
    ) throws(CentralError) -> OpaquePointer {
        let options = options(location, program)
        let keywords = options.map(\.0) + ["dbname"]
        let values = options.map(\.1) + [location.uri]
        guard let handle = withCStrings(keywords, values, { PQconnectStartParams($0, $1, 1) })
        else { throw .connection("there is no memory for a connection") }
        do throws(CentralError) {
            guard PQstatus(handle) != CONNECTION_BAD else { throw failure(handle) }
            try check(handle)
            try finish(handle, timeoutSeconds)
            return handle
        } catch {
            PQfinish(handle)
            throw error
        }
    }

    /// Defaults, which the URI overrides. A dead server is noticed within half a minute.
    private static func options(
        _ location: PostgresLocation, _ program: String
    ) -> [(String, String)] {
        var options = [
            ("fallback_application_name", program), ("client_encoding", "UTF8"),
            ("keepalives_idle", "15"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "30000"),
        ]
        // A service's settings apply where the URI has none, but defaults would hide them.
        guard !location.namesService, getenv("PGSERVICE") == nil else { return options }
        if getenv("PGSSLMODE") == nil { options.append(("sslmode", "verify-full")) }
        if getenv("PGSSLROOTCERT") == nil, let bundle = defaultBundle {
            options.append(("sslrootcert", bundle))
        }
        return options
    }

    /// The system's authorities, unless the user has libpq's own file.
    private static var defaultBundle: String? {
        if let home = getenv("HOME"),
            access(String(cString: home) + "/.postgresql/root.crt", R_OK) == 0
        {
            return nil
        }
        return systemBundles.first { access($0, R_OK) == 0 }
    }

    /// Over TCP, only a verified server is trusted. Nothing has been sent yet.
    private static func check(_ handle: OpaquePointer) throws(CentralError) {
        guard let effective = PQconninfo(handle) else {
            throw .connection("there is no memory for a connection")
        }
        defer { PQconninfoFree(effective) }
        let options = values(effective)
        let hosts = (options["host"] ?? "").split(separator: ",")
        let isLocal =
            options["hostaddr"] == nil
            && hosts.allSatisfy { $0.hasPrefix("/") || $0.hasPrefix("@") }
        guard isLocal || options["sslmode"] == "verify-full" else {
            throw .location(
                "over TCP only sslmode=verify-full is accepted, not "
                    + "\(options["sslmode"] ?? "none"): the server would not be verified")
        }
    }

    private static func finish(
        _ handle: OpaquePointer, _ timeoutSeconds: Int
    ) throws(CentralError) {
        var clock = timespec()
        clock_gettime(CLOCK_MONOTONIC, &clock)
        let deadline = Int(clock.tv_sec) + timeoutSeconds
        var waitsForRoom = true
        while true {
            clock_gettime(CLOCK_MONOTONIC, &clock)
            guard Int(clock.tv_sec) < deadline else {
                throw .connection("the server did not answer within \(timeoutSeconds) s")
            }
            var item = pollfd(
                fd: PQsocket(handle), events: Int16(waitsForRoom ? POLLOUT : POLLIN), revents: 0)
            // The deadline is checked every second.
            _ = poll(&item, 1, 1_000)
            if item.revents == 0 { continue }
            switch PQconnectPoll(handle) {
            case PGRES_POLLING_OK:
                guard PQsetnonblocking(handle, 0) == 0 else { throw failure(handle) }
                return
            case PGRES_POLLING_READING: waitsForRoom = false
            case PGRES_POLLING_WRITING: waitsForRoom = true
            default: throw failure(handle)
            }
        }
    }

    /// What libpq says about the last failure of a connection, on one line.
    static func message(of handle: OpaquePointer) -> String? {
        guard let text = PQerrorMessage(handle) else { return nil }
        let lines = String(cString: text).split(whereSeparator: \.isNewline)
        let message = lines.map { $0.drop { $0 == "\t" || $0 == " " } }.joined(separator: "; ")
        return message.isEmpty ? nil : message
    }

    /// A refusal that only people can resolve, or else a failure to wait out.
    private static func failure(_ handle: OpaquePointer) -> CentralError {
        let text = message(of: handle) ?? "the connection failed"
        return .connection(text)
    }

    /// The options that have values, by their keywords.
    static func values(_ first: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var values: [String: String] = [:]
        var option = first
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                values[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        return values
    }

    /// Two arrays of C strings, each with a terminator.
    private static func withCStrings<Result>(
        _ keywords: [String], _ values: [String],
        _ body: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = (keywords + values).map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { UnsafePointer($0) }
        return body(
            Array(pointers.prefix(keywords.count)) + [nil],
            Array(pointers.suffix(values.count)) + [nil])
    }
}

/// Where a central store is: a `postgresql:` URI (PostgreSQL manual, 34.1.1.2) without a password.
package struct PostgresLocation: Sendable, Hashable {
    package let uri: String
    /// Whether the URI names a service of `pg_service.conf`.
    let namesService: Bool

    /// Checks a URI. Passwords are refused: arguments and configurations are widely readable.
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

package enum PostgresLibrary {
    /// The version that is linked, such as 15.7.
    package static var version: String {
        let number = PQlibVersion()
        return "\(number / 10_000).\(number % 10_000)"
    }
}
