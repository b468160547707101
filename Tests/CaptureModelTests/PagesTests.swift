import ProxydCaptureModel
import ProxydHTTPModel
import Testing

/// Where pages of rows and messages start, and in which direction they go.
struct PagesTests {
    @Test
    func `pages starting at the newest or ending before a position descend, others ascend`() {
        let id = ExchangeID(rawValue: 1)
        let pages: [PageDirection] = [.newest, .oldest, .before(id), .after(id)]
        #expect(pages.map(\.isAscending) == [false, true, false, true])
        let messages: [MessagePage] = [.newest, .oldest, .before(1), .after(1), .at(1)]
        #expect(messages.map(\.isAscending) == [false, true, false, true, true])
    }

    @Test func `a folder without a server is the root of all servers and paths`() {
        #expect(TreePath(folder: "/a/") == .everything)
        let server = ServerName(scheme: "http", host: "a", port: 80)
        #expect(TreePath(server: server, folder: "/a/") != TreePath(server: server))
    }

    @Test
    func `exchanges are ordered by number in a local store and by start time in a central store`() {
        var row = Rows.row(7)
        #expect(row.position == 7)
        row.storeName = "ci-1"
        #expect(row.position == 1_007)
    }
}
