import ProxydCaptureModel
import ProxydOperations
import ProxydTestSupport
import Testing

/// Servers as `SCHEME://HOST:PORT`.
struct ServerTextTests {
    @Test func `a server written as text is parsed back unchanged`() throws {
        var random = SplitMix(seed: 3)
        for _ in 0..<500 {
            let server = ServerName(
                scheme: ["http", "https", nil].pick(&random),
                host: ["a.test", "::1", "a:b", "é", nil].pick(&random),
                port: [80, 0, 65_535, nil].pick(&random))
            let text = ServerText(server).text
            #expect(ServerText(text)?.server == server, "\(text)")
        }
    }

    @Test(arguments: ["", "http", "http://", "http://a.test", "http://a.test:x", "a.test:80"])
    func `server text that lacks a scheme, host or port is rejected`(text: String) {
        #expect(ServerText(text) == nil)
    }
}
