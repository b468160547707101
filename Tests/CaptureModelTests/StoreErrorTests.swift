import ProxydCaptureModel
import Testing

/// What users read of an error of the store.
struct StoreErrorTests {
    @Test(
        arguments: [
            (.directory(path: "/d", problem: "is not a folder"), "/d: is not a folder"),
            (.busy(path: "/s", pid: 7), "/s is in use by process 7"),
            (.busy(path: "/s", pid: nil), "/s is in use by another process"),
            (
                .newerSchema(path: "/s", found: 9, supported: 8),
                "/s has schema version 9, newer than this program's 8"
            ),
            (.foreignFile(path: "/s"), "/s is a database of another program"),
            (.missing(path: "/s"), "/s is missing or empty: nothing has been captured yet"),
            (.sqlite(code: 11, message: "malformed"), "SQLite error 11: malformed"),
            (.central("gone"), "central store: gone"), (.full("no space"), "no space"),
            (.notFound(5), "there is no exchange 5"), (.notPermitted("only SELECT"), "only SELECT"),
            (.noThread, "the system cannot start a thread for the recorder (see ulimit -u)"),
            (.stopped, "the recorder was stopped"), (.cancelled, "cancelled"),
        ] as [(StoreError, String)])
    func `a store error is described to users in one line`(error: StoreError, text: String) {
        #expect("\(error)" == text)
    }
}
