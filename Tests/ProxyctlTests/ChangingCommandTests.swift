import ProxydCaptureModel
import ProxydHTTPModel
@testable import proxyctl
import ProxydTestSupport
import Testing

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
    func `without a daemon, proxyctl clear with a filter deletes all matches, even pinned ones`()
        throws
    {
        let store = try SampleStore()
        let run = store.run("clear", "host:host.test", "--yes")
        #expect(run.code == 0)
        #expect(run.output == "deleted 2 exchanges\n")
        #expect(
            try store.objects(store.run("list", "--json")).map { $0["id"] as? Int }
                == [3, 4, 5, 6])
        let again = store.run("clear", "host:host.test", "--yes")
        #expect(again.code == 1)
        #expect(again.errors == "proxyctl: nothing matched\n")
    }

    @Test func `proxyctl clear without a filter keeps pinned exchanges`() throws {
        let store = try SampleStore()
        #expect(store.run("clear", "--yes").output == "deleted 5 exchanges\n")
        #expect(try store.objects(store.run("list", "--json")).map { $0["id"] as? Int } == [2])
        #expect(store.run("clear", "--yes").code == 0)
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
        #expect(seen.cleared == ["host:a status=200", "host:none"])
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
