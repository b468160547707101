import ProxydCaptureModel
import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// The tree of servers and paths, one level at a time.
struct BranchesTests {
    private static let server = ServerName(scheme: "http", host: "a.test", port: 80)

    private func branches(_ paths: [String?], below place: TreePath) -> Branches {
        paths.enumerated().reduce(into: Branches()) { branches, path in
            branches.add(Rows.row(Int64(path.offset), path: path.element), below: place)
        }
    }

    @Test func `the top level of the path tree lists each scheme, host and port as a server`() {
        var branches = Branches()
        let rows = [
            Rows.row(1), Rows.row(2, path: "/x"), Rows.row(3, port: 81),
            Rows.row(4, scheme: "https"), Rows.row(5, scheme: nil, host: nil, port: nil),
        ]
        for row in rows { branches.add(row, below: .everything) }
        #expect(branches.totals.count == 4)
        #expect(branches.totals[.server(Self.server)]?.count == 2)
        #expect(branches.all.count == 5)
    }

    @Test func `the tree level below a server lists the folders and paths directly below its root`()
    {
        let found = branches(
            ["/", "/a", "/a/", "/a/b", "/a/b/c", "/api/v1", "*", nil],
            below: TreePath(server: Self.server))
        let counts = found.totals.mapValues(\.count)
        #expect(
            counts == [
                .path("/"): 1, .path("/a"): 1, .folder("/a/"): 3, .folder("/api/"): 1,
                .path("*"): 1, .path(nil): 1,
            ])
    }

    @Test func `a folder in the path tree lists only paths that begin with its name and a slash`() {
        let found = branches(
            ["/a", "/a/", "/a/b", "/a/b/c", "/ab", "/a//x", nil],
            below: TreePath(server: Self.server, folder: "/a/"))
        let counts = found.totals.mapValues(\.count)
        #expect(
            counts == [.path("/a/"): 1, .path("/a/b"): 1, .folder("/a/b/"): 1, .folder("/a//"): 1])
    }

    @Test func `a server in the path tree does not count the exchanges of other servers`() {
        var found = Branches()
        found.add(Rows.row(host: "b.test"), below: TreePath(server: Self.server))
        #expect(found.totals.isEmpty)
        #expect(found.all.count == 0)
    }

    @Test func `walking the tree of servers and paths counts every exchange exactly once`() {
        var random = SplitMix(seed: 5)
        let rows = (0..<300).map { id -> ExchangeRow in
            let depth = Int.random(in: 0..<5, using: &random)
            let path = (0..<depth).map { _ in "/" + ["", "a", "b", "é"].pick(&random) }.joined()
            return Rows.row(
                Int64(id), host: ["a.test", "b.test"].pick(&random), path: path,
                byteCount: Int64(id))
        }
        func walk(_ place: TreePath) -> Int64 {
            let level = rows.reduce(into: Branches()) { $0.add($1, below: place) }
            return level.totals.reduce(0) { sum, entry in
                switch entry.key {
                case .server(let server): sum + walk(TreePath(server: server))
                case .folder(let folder):
                    sum + walk(TreePath(server: place.server, folder: folder))
                case .path: sum + entry.value.count
                }
            }
        }
        #expect(walk(.everything) == 300)
    }

    @Test
    func `if a tree level has too many servers or paths, those in excess share a single total`() {
        var found = Branches()
        for id in 0..<Int64(Branches.nameCountMax + 3) {
            found.add(
                Rows.row(id, path: "/\(id)", byteCount: 2),
                below: TreePath(server: Self.server))
        }
        found.add(Rows.row(1, path: "/1"), below: TreePath(server: Self.server))
        #expect(found.totals.count == Branches.nameCountMax)
        #expect(found.others.count == 3)
        #expect(found.others.byteCount == 6)
        #expect(found.totals[.path("/1")]?.count == 2)
        #expect(found.all.count == Int64(Branches.nameCountMax + 4))
    }

    @Test func `a path tree level counts failed exchanges and statuses of 400 or more as errors`() {
        var found = Branches()
        let rows = [
            Rows.row(1, status: 399), Rows.row(2, status: 400), Rows.row(3, status: 503),
            Rows.row(4, status: 200, state: .failed), Rows.row(5, status: nil, state: .active),
        ]
        for row in rows { found.add(row, below: .everything) }
        #expect(found.all.errorCount == 3)
        #expect(found.all.lastStartedAtNs == 1_005)
    }

    @Test func `the byte count of a path tree level saturates at the largest integer`() {
        var found = Branches()
        for id in 1...2 { found.add(Rows.row(Int64(id), byteCount: .max), below: .everything) }
        #expect(found.all.byteCount == .max)
    }
}

/// Sums of a place in the tree of servers and paths.
struct BranchTotalsTests {
    @Test
    func `the path tree counts an exchange as an error if it failed or its status is 400 or more`()
    {
        let rows: [(row: ExchangeRow, isError: Bool)] = [
            (Rows.row(status: 399), false), (Rows.row(status: 400), true),
            (Rows.row(status: 200, state: .failed), true),
            (Rows.row(status: nil, state: .active), false),
        ]
        for (row, isError) in rows {
            #expect(BranchTotals(row).errorCount == (isError ? 1 : 0))
        }
    }

    @Test
    func `adding byte totals saturates at the largest integer, and the latest start time is kept`()
    {
        var totals = BranchTotals(Rows.row(5, byteCount: .max))
        totals += BranchTotals(Rows.row(2, byteCount: 7))
        #expect(totals.count == 2 && totals.byteCount == .max && totals.lastStartedAtNs == 1_005)
        totals += BranchTotals()
        #expect(totals.count == 2 && totals.lastStartedAtNs == 1_005)
    }
}
