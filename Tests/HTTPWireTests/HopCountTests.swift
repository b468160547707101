import ProxydHTTPModel
import ProxydHTTPWire
import Testing

/// How many proxies a request says that it has passed through.
struct HopCountTests {
    @Test(arguments: [
        ("0", 0), ("3", 3), ("255", 255), ("256", 255), ("999", 255), ("-1", 255), ("", 255),
        ("3, 4", 255), ("18446744073709551616", 255), ("x", 255),
    ])
    func `a hop count above 255 or one that is not a number is read as 255`(
        text: String, count: Int
    ) {
        let received = HopCount.received(HeaderFields([("Proxyd-Hops", text)]))
        #expect(received == count)
        #expect(received + 1 > count)
    }

    @Test func `a request without a hop count field has a hop count of zero`() {
        #expect(HopCount.received(HeaderFields()) == 0)
    }
}
