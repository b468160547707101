import Capture
@testable import proxyctl
import ProxydTestSupport
import Testing

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

    @Test
    func `with a daemon running, the terminal interface deletes exchanges through the daemon`()
        throws
    {
        let store = try SampleStore()
        let daemon = try RunningDaemon(store)
        let deleter = StoreDeleter(directory: DataDirectory(path: store.directoryPath))
        _ = try deleter.delete(passing: "id<=4 pinned=no")
        #expect(daemon.handler.snapshot.cleared == ["id<=4 pinned=no"])
        #expect(store.run("list").lines.count == 6)
    }
}
