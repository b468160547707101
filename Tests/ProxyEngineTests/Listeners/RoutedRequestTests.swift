import ProxydEventLoops
import ProxydHTTPModel
import ProxydTransport
import Testing

@testable import ProxydProxyEngine

/// The form in which an HTTP proxy gets what clients of different listeners ask for.
struct RoutedRequestTests {
    private static let proxy = UpstreamProxy(
        name: "corp", kind: .http, host: "corp.test", port: 3128)

    private static func configuration() -> EngineConfiguration {
        var configuration = EngineConfiguration()
        var routes = RouteTable()
        routes.upstream = { _, _, _ in proxy }
        configuration.routes = routes
        return configuration
    }

    /// A server that was to be connected to, and whether the proxy itself gets the request.
    private struct Asked: Sendable, Equatable {
        let place: String
        let takesRequests: Bool?

        init(_ place: String, takesRequests: Bool?) {
            self.place = place
            self.takesRequests = takesRequests
        }

        init(_ target: ConnectTarget) {
            place = "\(target.host):\(target.port)"
            takesRequests = target.route?.proxied?.takesRequests
        }
    }

    private func asked(
        _ request: String, at listener: ServedListener = ServedListener()
    ) throws -> [Asked] {
        try Playbook.play(configuration: Self.configuration(), at: listener) { book in
            book.clientSends(request)
            return book.connector.targets.map(Asked.init)
        }
    }

    @Test func `a plain request routed through an HTTP upstream proxy is sent to that proxy`()
        throws
    {
        #expect(
            try asked("GET http://app.test/ HTTP/1.1\r\nHost: app.test\r\n\r\n")
                == [Asked("corp.test:3128", takesRequests: true)])
    }

    @Test
    func `a transparent listener sends an upstream proxy a CONNECT for the original address`()
        throws
    {
        let found = try Playbook.play(configuration: Self.configuration()) { book in
            let stream = ScriptedStream(
                "redirected", loop: book.loop, transcript: book.transcript, peerPort: 50_001)
            book.proxy.accept(
                stream, at: ServedListener(name: "t", mode: .transparent),
                redirectedFrom: SocketAddress(ip: "192.0.2.7", port: 80))
            stream.receive(
                Array("GET / HTTP/1.1\r\nHost: app.test\r\n\r\n".utf8), pieceByteCount: .max)
            return book.connector.targets.map(Asked.init)
        }
        // The name in Host does not decide where the request goes.
        #expect(found == [Asked("192.0.2.7:80", takesRequests: false)])
    }

    @Test(arguments: [
        (ReverseService.HostField.change, true), (.keep, false), (.name("other.test"), false),
        (.name("origin.test:81"), true),
    ])
    func `a reverse listener sends its upstream proxy a CONNECT if Host does not name the server`(
        host: ReverseService.HostField, takesRequests: Bool
    ) throws {
        let place = takesRequests ? "corp.test:3128" : "origin.test:81"
        #expect(
            try asked(
                "GET / HTTP/1.1\r\nHost: front.test\r\n\r\n",
                at: ServedListener(name: "r", mode: ReverseTests.mode(host: host)))
                == [Asked(place, takesRequests: takesRequests)])
    }

    @Test
    func `an HTTP/2 client that half-closes a tunnel not yet connected is disconnected`()
        throws
    {
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        for ends in [true, false] {
            let ending = try Playbook.play { book in
                book.clientSends("CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n")
                book.clientSends(preface + settings)
                if ends { book.clientEnds() }
                book.connects()
            } then: { book, _ in
                book.client.ending
            }
            #expect(ending == (ends ? .closed : nil))
        }
    }
}
