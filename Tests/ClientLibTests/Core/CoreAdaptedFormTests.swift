import ClientLib
import Foundation
import ProxydClientTestSupport
import Testing

/// Adapters that change a form: its content type says what is sent.
struct CoreAdaptedFormTests {
    /// What a server gets of a form that an adapter changes.
    private func sent(
        _ adapt: @escaping @Sendable (inout HTTPRequest) throws -> Void
    ) async throws -> (type: String?, body: String) {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        _ = try await Session.default.upload(
            multipartFormData: { $0.append("old", name: "a") }, to: server.url
        ).adapt { request, _ in
            var request = request
            try adapt(&request)
            return request
        }.serializingData().value
        let received = try #require(server.received.first)
        return (received.header("Content-Type"), String(decoding: received.body, as: UTF8.self))
    }

    @Test
    func `when an adapter replaces a multipart form, the replacement's boundary is sent`()
        async throws
    {
        var form = MultipartFormData(boundary: try MultipartBoundary("Another"))
        form.append("new", name: "b")
        let other = form
        let sent = try await sent { $0.body = .multipart(other) }
        #expect(sent.type == "multipart/form-data; boundary=Another")
        #expect(sent.body.hasPrefix("--Another\r\n"))
    }

    @Test
    func `if an adapter replaces a form with another body, the form's Content-Type is dropped`()
        async throws
    {
        let sent = try await sent { $0.httpBody = Data("{}".utf8) }
        #expect(sent.type == nil)
        #expect(sent.body == "{}")
        let typed = try await self.sent {
            $0.headers["Content-Type"] = "application/json"
            $0.httpBody = Data("{}".utf8)
        }
        #expect(typed.type == "application/json")
        #expect(try await self.sent { $0.httpBody = nil }.type == nil)
    }

    @Test
    func `a multipart form keeps its Content-Type when an adapter only throttles or encodes it`()
        async throws
    {
        for adapt in [
            { @Sendable request in request.throttleBody(delay: .zero) },
            { @Sendable request in
                guard case .multipart(let form, _) = request.body else { return }
                request.body = .bytes(try form.encoded())
            },
        ] as [@Sendable (inout HTTPRequest) throws -> Void] {
            let sent = try await sent(adapt)
            let boundary = try #require(sent.type?.split(separator: "boundary=").last)
            #expect(sent.body.hasPrefix("--\(boundary)\r\n"))
        }
    }
}
