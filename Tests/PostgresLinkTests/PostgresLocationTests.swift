import ProxydCentralStore
@testable import ProxydPostgresLink
import Testing

/// Which URIs name a central store.
@Suite struct PostgresLocationTests {
    private static let password =
        "the URI contains a password; put it into ~/.pgpass or the file named by PGPASSFILE, or "
        + "use a client certificate"

    @Test(arguments: [
        "postgresql://", "postgres://ci01@db.example/proxyd", "postgresql:///proxyd",
        "postgresql://ci01@db.example:6432/proxyd?sslrootcert=/etc/ca.crt&"
            + "options=-csearch_path%3Dweb",
        "postgresql://[::1]:5432/d", "postgresql://a:1,b:2/d?target_session_attrs=read-write",
        "postgresql://%2Fvar%2Frun/d", "postgresql://u@/d?host=/run/a,/run/b",
        "postgresql://u@h/d?passfile=/etc/proxyd/pgpass&sslcert=c&sslkey=k",
        "postgresql://caf%C3%A9@h/d", "postgresql://u@h/d?sslmode=disable",
    ])
    func `a PostgreSQL URI without a password is accepted unchanged`(uri: String) throws {
        let location = try PostgresLocation(uri)
        #expect(location.uri == uri)
        #expect(!location.namesService)
    }

    @Test(arguments: ["postgresql:///?service=central", "postgres://u@h/d?sslmode=x&service=s"])
    func `a PostgreSQL URI that names a connection service is accepted unchanged`(uri: String)
        throws
    {
        let location = try PostgresLocation(uri)
        #expect(location.uri == uri)
        #expect(location.namesService)
    }

    @Test(arguments: [
        "", "db.example", "host=h password=hunter2", "http://h/d", "POSTGRESQL://h/d",
        " postgresql://h/d", "postgresql:/h/d", "postgresql:hunter2", "mysql://u:hunter2@h/d",
    ])
    func `a central store location that is not a PostgreSQL URI is rejected`(text: String) {
        let expected = CentralError.location(
            "a central store is named by a URI that starts with postgresql://")
        #expect(throws: expected) { try PostgresLocation(text) }
    }

    @Test(arguments: [
        "postgresql://u:hunter2@[::1/d", "postgresql://u:hunter2%zz@h/d",
        "postgresql://h/d?nonsense=hunter2", "postgresql://h/d?hunter2",
        "postgresql://h/d?user=a=hunter2", "postgresql://u@h/hunter2%00",
        "postgresql://u:hunter2@[::1]x/d",
    ])
    func `a malformed PostgreSQL URI is rejected with a message that does not quote it`(uri: String)
    {
        let expected = CentralError.location("the URI of the central store is malformed")
        #expect(throws: expected) { try PostgresLocation(uri) }
    }

    @Test(arguments: [
        "postgresql://u:hunter2@h/d", "postgres://u:hunter2@a,b/d", "postgresql://:hunter2@h/d",
        "postgresql://u:%68unter2@h/d", "postgresql://h/d?password=hunter2",
        "postgresql://h/d?p%61ssword=hunter2", "postgresql://u@h/d?sslkey=k&sslpassword=hunter2",
        "postgresql://u@h/d?service=s&password=hunter2",
    ])
    func `a PostgreSQL URI that contains a password is rejected without quoting the password`(
        uri: String
    ) {
        #expect(throws: CentralError.location(PostgresLocationTests.password)) {
            try PostgresLocation(uri)
        }
    }

    @Test func `the error for an invalid central store location is marked as not to be retried`() {
        let error = #expect(throws: CentralError.self) { try PostgresLocation("h") }
        #expect(error?.remedy == .stop)
    }
}
