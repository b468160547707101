import Glibc
import ProxydEventLoops
import ProxydHTTPModel
import ProxydWebServer
import Testing

/// A server with a few routes, and raw connections to it.
final class WebTalk {
    static let token = WebToken.random()
    let server: WebServer

    init(limits: WebLimits = WebLimits(), routes: (inout WebRouter) -> Void) throws {
        var router = WebRouter()
        routes(&router)
        let address = SocketAddress(ip: "127.0.0.1", port: 0)
        let socket = try ListeningSocket(address: try #require(address))
        let access = WebAccess(
            port: socket.localAddress.port, otherHosts: ["inspector.test:443"],
            token: WebTalk.token)
        server = try WebServer(
            socket: socket,
            site: WebSite(
                access: access, protectedSegments: ["api"], router: router,
                fields: [("X-Common", "yes")]), limits: limits)
    }

    deinit { server.stop() }

    var host: String { "127.0.0.1:\(server.address.port)" }

    /// The lines of a request with the right Host and token.
    func request(_ line: String, _ fields: String..., body: String = "") -> String {
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        let all = ["Host: \(host)", "Authorization: Bearer \(WebTalk.token)"] + fields + length
        return ([line + " HTTP/1.1"] + all).joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    /// Sends a request that asks for the connection's end, and returns everything received.
    func answer(_ line: String, _ fields: String..., body: String = "") throws -> String {
        let connection = try connect()
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        let all =
            ["Host: \(host)", "Authorization: Bearer \(WebTalk.token)", "Connection: close"]
            + fields + length
        connection.send(
            ([line + " HTTP/1.1"] + all).joined(separator: "\r\n") + "\r\n\r\n" + body)
        return connection.readToEnd()
    }

    func connect() throws -> WebTalkConnection {
        try WebTalkConnection(port: server.address.port)
    }
}

/// A raw connection, whose reads end after ten seconds at most.
final class WebTalkConnection {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, size) == 0
            }
        }
        try #require(isConnected)
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// The connection that receives something first, within ten seconds.
    static func first(toAnswer connections: [WebTalkConnection]) -> WebTalkConnection? {
        var polled = connections.map {
            pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
        }
        guard poll(&polled, nfds_t(polled.count), 10_000) > 0 else { return nil }
        return polled.firstIndex { $0.revents != 0 }.map { connections[$0] }
    }

    /// Everything until the server closes.
    func readToEnd() -> String {
        var text: [UInt8] = []
        while let piece = read() { text += piece }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads until the text contains another one, or the connection ends.
    func read(until end: String) -> String {
        var text: [UInt8] = []
        while !String(decoding: text, as: UTF8.self).contains(end), let piece = read() {
            text += piece
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether the server ends the connection within ten seconds, without another byte.
    func isEnded() -> Bool {
        var byte: UInt8 = 0
        return Glibc.recv(descriptor, &byte, 1, 0) == 0
    }

    private func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }
}
