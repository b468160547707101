import Foundation
import ProxydTestSupport

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
