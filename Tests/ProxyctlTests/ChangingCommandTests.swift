import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydTestSupport
import Testing

@testable import proxyctl

@Suite struct ChangingCommandTests {
    @Test
    func `without a daemon, proxyctl mark changes notes, tags and pins directly in the store`()
        throws
    {
        let store = try SampleStore()
        let run = store.run("mark", "1", "--note", "look", "--tag", "a", "--tag", "b", "--pin")
        #expect(run.code == 0)
        let row = try #require(try store.objects(store.run("list", "--json", "id=1")).first)
        #expect(row["note"] as? String == "look")
        #expect(row["tags"] as? [String] == ["a", "b"])
        #expect(row["pinned"] as? Bool == true)
        #expect(store.run("mark", "1", "--note", "", "--untag", "a", "--unpin").code == 0)
        let after = try #require(try store.objects(store.run("list", "--json", "id=1")).first)
        #expect(after["note"] as? String == nil)
        #expect(after["tags"] as? [String] == ["b"])
        #expect(after["pinned"] as? Bool == false)
    }

    @Test func `proxyctl mark fails for an exchange that does not exist`() throws {
        let run = try SampleStore().run("mark", "99", "--pin")
        #expect(run.code == 1)
        #expect(run.errors == "proxyctl: there is no exchange 99\n")
    }

    @Test
    func `without a daemon, proxyctl clear deletes pinned exchanges only with --pinned`() throws {
        let store = try SampleStore()
        func ids() throws -> [Int?] {
            try store.objects(store.run("list", "--json")).map { $0["id"] as? Int }
        }
        let run = store.run("clear", "host:host.test", "--yes")
        #expect(run.code == 0)
        #expect(run.output == "deleted 1 exchange\n")
        #expect(try ids() == [2, 3, 4, 5, 6])
        let again = store.run("clear", "host:host.test", "--yes")
        #expect(again.code == 1)
        #expect(again.errors.hasPrefix("proxyctl: everything that matched is pinned\n"))
        let pinned = store.run("clear", "host:host.test", "--pinned", "--yes")
        #expect(pinned.output == "deleted 1 exchange\n")
        let none = store.run("clear", "host:host.test", "--pinned", "--yes")
        #expect(none.errors == "proxyctl: nothing matched\n")
        #expect(store.run("mark", "3", "--pin").code == 0)
        #expect(store.run("clear", "--pinned", "--yes").output == "deleted 4 exchanges\n")
        #expect(try ids() == [])
    }

    @Test func `proxyctl mark with a filter marks all matches and says how many there are`() throws
    {
        let store = try SampleStore()
        let run = store.run("mark", "host:host.test", "--tag", "before")
        #expect(run.output == "marked 2 exchanges\n")
        let tagged = try store.objects(store.run("list", "--json", "tag=before"))
        #expect(tagged.map { $0["id"] as? Int } == [1, 2])
        #expect(store.run("mark", "id<3", "id>1", "--pin").output == "marked 1 exchange\n")
        let none = store.run("mark", "host:8080", "--pin")
        #expect(none.code == 1)
        #expect(none.errors == "proxyctl: nothing matched\n")
    }

    @Test func `proxyctl clear without a filter keeps pinned exchanges`() throws {
        let store = try SampleStore()
        #expect(store.run("clear", "--yes").output == "deleted 5 exchanges\n")
        #expect(try store.objects(store.run("list", "--json")).map { $0["id"] as? Int } == [2])
        #expect(store.run("clear", "--yes").code == 0)
    }

    @Test func `proxyctl mark with several numbers marks nothing and suggests a filter`() throws {
        let store = try SampleStore()
        let run = store.run("mark", "3", "4", "--tag", "t")
        #expect(run.code == 64 && run.errors.contains("'id=3 or id=4'"))
        #expect(store.run("list", "tag=t").lines.isEmpty)
    }

    @Test func `proxyctl clear with an empty filter deletes nothing`() throws {
        let store = try SampleStore()
        for filter in ["", " "] {
            let run = store.run("clear", filter, "--yes")
            #expect(run.code == 64 && run.errors.contains("the filter is empty"))
        }
        #expect(store.run("list").lines.count == 6)
    }

    @Test func `proxyctl clear without --yes deletes nothing`() throws {
        let store = try SampleStore()
        #expect(store.run("clear").code == 64)
        #expect(store.run("list").lines.count == 6)
    }

    @Test func `proxyctl clear rejects an invalid filter before it contacts the daemon`() throws {
        let store = try SampleStore()
        let daemon = try RunningDaemon(store)
        #expect(store.run("clear", "(", "--yes").code == 64)
        #expect(daemon.handler.snapshot.cleared.isEmpty)
    }

    @Test func `with a daemon running, proxyctl mark and clear send their changes to it`() throws {
        let store = try SampleStore()
        let daemon = try RunningDaemon(store)
        #expect(store.run("mark", "3", "--note", "n", "--tag", "t", "--unpin").code == 0)
        #expect(store.run("mark", "99", "--pin").errors.contains("there is no exchange 99"))
        #expect(
            store.run("clear", "host:a", "status=200", "--yes").output
                == "deleted 2 exchanges\n")
        #expect(store.run("clear", "host:none", "--yes").code == 1)
        let seen = daemon.handler.snapshot
        #expect(
            seen.changes.first
                == AnnotationChange(
                    id: ExchangeID(rawValue: 3), note: "n", addedTags: ["t"], isPinned: false))
        #expect(seen.cleared == ["(host:a status=200) pinned=no", "(host:none) pinned=no"])
    }

    @Test func `proxyctl mark and clear fail if the store does not exist`() throws {
        let scratch = try ScratchFolder()
        for arguments in [["mark", "1", "--pin"], ["clear", "--yes"]] {
            let run = CommandRun(["--data-dir", scratch.path + "/none"] + arguments)
            #expect(run.code == 1)
            #expect(run.errors.contains("is missing or empty"))
        }
    }
}

/// What the terminal interface deletes, it deletes as `proxyctl clear` does.
@Suite struct StoreDeleterTests {
    @Test
    func `without a daemon, the terminal interface deletes exchanges directly from the store`()
        throws
    {
        let store = try SampleStore()
        let deleter = StoreDeleter(directory: DataDirectory(path: store.directoryPath))
        #expect(try deleter.delete(passing: "(id=1 or id=2) pinned=no") == 1)
        #expect(try deleter.delete(passing: "id<=4 pinned=no") == 2)
        #expect(
            try store.objects(store.run("list", "--json")).map { $0["id"] as? Int } == [2, 5, 6])
        #expect(try deleter.delete(passing: "id=1 pinned=no") == 0)
    }

    @Test(arguments: ["", "id>0", "id=2 or id=3"])
    func `the web interface and the terminal interface never delete a pinned exchange`(
        filter: String
    ) throws {
        let store = try SampleStore()
        let deleter = StoreDeleter(directory: DataDirectory(path: store.directoryPath))
        #expect(try deleter.delete(passing: filter) > 0)
        let left = try store.objects(store.run("list", "--json")).compactMap { $0["id"] as? Int }
        #expect(left.contains(2) && !left.contains(3))
    }

    @Test
    func `with a daemon running, the terminal interface deletes exchanges through the daemon`()
        throws
    {
        let store = try SampleStore()
        let daemon = try RunningDaemon(store)
        let deleter = StoreDeleter(directory: DataDirectory(path: store.directoryPath))
        _ = try deleter.delete(passing: "id<=4 pinned=no")
        #expect(daemon.handler.snapshot.cleared == ["(id<=4 pinned=no) pinned=no"])
        #expect(store.run("list").lines.count == 6)
    }
}
