import Foundation
import ProxydTestSupport
import Testing

/// What scripts of a page say and hear in Chromium is in the store.
@Suite(.enabled(if: Browser.isAvailable, "Chromium is not installed"))
struct BrowserTests {
    @Test(arguments: [false, true])
    func `WebSocket messages and SSE events are recorded as a script in the browser saw them`(
        isTLS: Bool
    ) throws {
        let certificate = isTLS ? try TestCertificate() : nil
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate)
        let browser = try Browser(origin.url("/page/browser.html"), through: proxy)
        let report = try proxy.show(try proxy.row("method=POST path=/report"))
        let text = try #require(report.row("request")?.text("body_text"))
        let heard = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[Any]])
        let words = heard.map { $0.map { "\($0)" } }
        let long = String(repeating: "long ", count: 20_000)
        #expect(
            words == [
                ["text", "Grüße 🙂"], ["binary", "0001feff"], ["text", long],
                ["close", "4001", "enough"], ["event", "price", "7", "{\"a\":\n1}"],
                ["event", "message", "7", "ü"], ["event", "message", "7", "last"],
            ])
        try checkSocket(proxy, long)
        try checkEvents(proxy)
        withExtendedLifetime(browser) {}
    }

    private func checkSocket(_ proxy: Daemon, _ long: String) throws {
        let socket = try proxy.row("proto:ws path=/ws-echo")
        #expect(socket.text("state") == "complete" && socket.int("messages") == 6)
        let messages = try proxy.messages(of: socket, count: 8)
        for direction in ["to_server", "to_client"] {
            let said = messages.filter { $0.text("direction") == direction }
            #expect(said.map { $0.text("kind") } == ["text", "binary", "text", "close"])
            #expect(
                said.map(\.bytes) == [
                    Data("Grüße 🙂".utf8), Data([0, 1, 254, 255]), Data(long.utf8),
                    Data([0x0F, 0xA1] + Array("enough".utf8)),
                ])
            #expect(said.last?.int("code") == 4_001 && said.last?.text("reason") == "enough")
        }
    }

    private func checkEvents(_ proxy: Daemon) throws {
        let stream = try proxy.row("proto:sse path=/events/browser")
        let events = try proxy.messages(of: stream, count: 5).filter { $0.text("kind") == "event" }
        #expect(events.prefix(3).map { $0.text("text") } == ["{\"a\":\n1}", "ü", "last"])
        #expect(events.prefix(3).map { $0.text("event") } == ["price", nil, nil])
    }
}

/// Chromium without a window, which opens a page through a daemon. Its profile goes with it.
final class Browser {
    /// Whether it is installed.
    static let isAvailable = Tool.find("chromium") != nil

    private let profile: ScratchFolder
    private let service: Service

    /// A browser that trusts any certificate: what it is to trust is not asked here.
    convenience init(_ url: String, through proxy: Daemon) throws {
        try self.init(url, at: "127.0.0.1:\(proxy.port)")
    }

    /// A browser with a proxy of any kind.
    init(_ url: String, at proxyServer: String) throws {
        profile = try ScratchFolder()
        service = try Service(
            Tool.find("chromium") ?? "",
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--no-first-run", "--disable-background-networking", "--disable-component-update",
                "--ignore-certificate-errors", "--user-data-dir=\(profile.path)",
                "--proxy-server=\(proxyServer)", "--proxy-bypass-list=<-loopback>",
                "--remote-debugging-port=0", url,
            ])
    }
}
