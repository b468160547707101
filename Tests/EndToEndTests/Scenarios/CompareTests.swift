import Foundation
import Testing

/// `proxyctl compare` on a real store.
struct CompareTests {
    @Test
    func `proxyctl compare pairs the requests of two runs and lists new and missing ones`()
        throws
    {
        let rig = try LaunchRig()
        let daemon = try rig.daemon()
        for path in ["/gzip?x=1&y=2", "/b", "/gzip?y=2&x=1", "/c"] {
            try daemon.curl(rig.origin.url(path))
        }
        _ = try daemon.rows(count: 4)
        let outcome = try rig.proxyctl("compare", "id<3", "id>=3", "--json")
        #expect(outcome.status == 1)
        let counts = try Row(json: outcome.text).row("counts")
        #expect(counts?.int("new") == 1 && counts?.int("gone") == 1)
        #expect(try rig.proxyctl("compare", "path=/gzip id=1", "path=/gzip id=3").status == 0)
        let text = try rig.proxyctl("compare", "id=2", "id=4").text
        #expect(text.contains("new     GET \(rig.origin.url("/c"))  4\n"))
        #expect(text.contains("gone    GET \(rig.origin.url("/b"))  2\n"))
        #expect(text.hasSuffix("0 same, 1 new, 1 gone, 0 changed, 0 slower\n"))
        #expect(try rig.proxyctl("compare", "id=1", "id=99").status == 66)
        #expect(try rig.proxyctl("compare", "id=1", "hots=99").status == 64)
        #expect(try rig.proxyctl("compare", "id=1").status == 64)
    }
}
