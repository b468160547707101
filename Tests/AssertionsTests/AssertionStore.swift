import Capture
import ProxydAssertions
import ProxydFilter
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport

/// A store with exchanges, and checks of them.
final class AssertionStore {
    let store = TemporaryStore()
    let reader: StoreReader

    init(_ exchanges: [Exchange]) throws {
        let recorder = try store.recorder()
        defer { recorder.stop() }
        _ = try recorder.numbers(storing: exchanges)
        reader = try store.reader()
    }

    /// What an assertion file says, by its text without golden files.
    func results(_ text: String, scope: String = "") throws -> [AssertionResult] {
        let assertions = try AssertionFile.read(text, file: "a.toml", now: 0)
        let named = scope.isEmpty ? assertions.scope : try Filter.parse(scope)
        let run = AssertionRun(reader, scope: named)
        return try [run.scopeResult()] + assertions.expectations.map(run.result)
    }

    /// The messages of the only expectation's problems.
    func problems(_ text: String) throws -> [String] {
        try results("[[expect]]\nname = \"it\"\n" + text).flatMap(\.problems).map(\.message)
    }

    /// Exchanges of a small shop: two pages, a login, an answer in JSON, an error.
    static var shop: [Exchange] {
        [
            .sample(1, "/", type: "text/html", body: "<p>Welcome"),
            .sample(
                2, "/login", method: "POST", status: 204,
                requestType: "application/x-www-form-urlencoded", requestBody: "user=ann"),
            .sample(3, "/me", type: "application/json", body: me),
            .sample(4, "/cart", status: 503, body: "later"),
        ]
    }

    static let me = """
        {"user": {"id": 7, "roles": ["a", "b"], "mail": "ann@shop.test", "note": null, \
        "rate": 1.50}, "token": "t0"}
        """
}
