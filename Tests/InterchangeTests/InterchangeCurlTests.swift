import Capture
import Foundation
import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import Testing

/// curl commands of a store.
struct InterchangeCurlTests {
    @Test func `in a curl export, an exchange that cannot be sent has a comment with the reason`()
        throws
    {
        var writer = CurlWriter()
        let texts = try InterchangeStore().captured().map {
            String(decoding: writer.bytes(of: $0), as: UTF8.self)
        }
        #expect(texts[0].hasPrefix("# 1 GET http://example.test/search?q=caf%C3%A9+noir&tags[]=a"))
        #expect(texts[0].contains("\ncurl "))
        #expect(texts[1].contains("hunter2"))
        let reasons = [
            (11, "the request could not be read"), (12, "a tunnel is not a request"),
            (14, "the request is not complete yet"),
        ]
        for (index, reason) in reasons {
            #expect(texts[index].contains("# no command: \(reason)"))
            #expect(!texts[index].contains("\ncurl "))
        }
        #expect(writer.withoutCommandCount == 3)
    }

    @Test func `captured text cannot break out of a comment in a curl export`() throws {
        let store = try InterchangeStore { recorder in
            var update = Samples.complete(recorder.nextExchangeID())
            let origin = Array("/a\nrm -rf x\r\u{85}\u{2028}`id`$(id)\u{1B}[2J".utf8)
            update.url = RawURL(scheme: "http", host: "a.test\nid", port: 80, origin: origin)
            recorder.record(update)
            try recorder.flush()
        }
        let text = String(decoding: try store.export(CurlWriter()), as: UTF8.self)
        let comment = try #require(text.split(separator: "\n").first)
        #expect(
            comment
                == """
                # 1 GET http://a.test%0Aid/a%0Arm%20-rf x%0D%C2%85%E2%80%A8`id`$(id)%1B[2J
                """.replacing("rm%20-rf", with: "rm -rf"))
    }
}
