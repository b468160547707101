import ClientLib
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

struct CoreStreamTests {
    @Test func `a stream handler gets the pieces of the body and then the completion`() async throws
    {
        let server = try ScriptedServer { _ in
            ScriptedServer.response(200, Array("h\u{E9}llo".utf8))
        }
        let seen = Collector<String>()
        let (ended, end) = AsyncStream.makeStream(of: ClientError?.self)
        let request = Session.default.streamRequest(server.url).responseStreamString { stream in
            if let text = stream.value { seen.add(text) }
            if let completion = stream.completion { end.yield(completion.error) }
        }
        for await error in ended {
            #expect(error == nil)
            break
        }
        #expect(seen.all.joined() == "h\u{E9}llo")
        #expect(request.isFinished)
    }

    @Test func `a request is already finished when its completion handler is called`() async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, Array("a".utf8)) }
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        let data = Session.default.request(server.url)
        data.response { _ in answer.yield(data.isFinished) }
        let stream = Session.default.streamRequest(server.url)
        stream.responseStreamString { piece in
            if piece.completion != nil { answer.yield(stream.isFinished) }
        }
        var seen: [Bool] = []
        for await isFinished in answers {
            seen.append(isFinished)
            if seen.count == 2 { break }
        }
        #expect(seen == [true, true])
    }

    @Test func `a character split between pieces of a streamed string is decoded correctly`() {
        let serializer = StringStreamSerializer()
        var text = ""
        for byte in Array("a\u{E9}\u{4E00}\u{1F600}z".utf8) {
            text += serializer.serialize([byte]) ?? ""
        }
        #expect(text == "a\u{E9}\u{4E00}\u{1F600}z")
    }

    @Test func `a large streamed body is received completely and in order`() async throws {
        let body = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 >> 8) }
        let server = try ScriptedServer { _ in ScriptedServer.response(200, body) }
        var received: [UInt8] = []
        for try await piece in Session.default.streamRequest(server.url).streamingData() {
            received += piece
        }
        #expect(received == body)
    }

    @Test func `leaving the loop over a stream early cancels its request`() async throws {
        let server = try ScriptedServer { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n012")]
        }
        let request = Session.default.streamRequest(server.url)
        for try await piece in request.streamingData() {
            #expect(piece == Array("012".utf8))
            break
        }
        #expect(request.isCancelled)
    }

    @Test
    func `a stream whose connection breaks delivers the received bytes before it throws`()
        async throws
    {
        let server = try ScriptedServer { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n012"), .close]
        }
        var received: [UInt8] = []
        await #expect {
            for try await piece in Session.default.streamRequest(server.url).streamingData() {
                received += piece
            }
        } throws: { error in
            (error as? ClientError)?.kind == .network(.closedEarly)
        }
        #expect(received == Array("012".utf8))
    }

    @Test func `a response head handler can cancel its request before the body arrives`()
        async throws
    {
        let server = try ScriptedServer { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")]
        }
        let response = await Session.default.request(server.url).onHTTPResponse { head in
            head.status == 200 ? .cancel : .allow
        }.serializingData().response
        #expect(response.error?.kind == .explicitlyCancelled)
        #expect(response.response?.status == 200)
    }

    @Test
    func `cancellation by a response head handler shows in the request's state, error and events`()
        async throws
    {
        let server = try ScriptedServer { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")]
        }
        let asked = Collector<Bool>()
        let heard = Collector<String>()
        let request = Session.default.request(server.url)
            .onHTTPResponse { _ in .cancel }
            .retry { _, _, _ in
                asked.add(true)
                return .retry
            }
            .eventMonitor(
                ClosureEventMonitor { event, _ in
                    heard.add(String("\(event)".prefix { $0 != "(" }))
                })
        let response = await request.serializingData().response
        #expect(response.error?.kind == .explicitlyCancelled)
        #expect(response.error?.attempt == 1)
        #expect(request.state == .cancelled)
        #expect(request.isCancelled)
        #expect(request.error?.kind == .explicitlyCancelled)
        #expect(heard.all.filter { $0 == "didCancel" }.count == 1)
        #expect(asked.count == 0)
    }

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "\u{E9}"), ([0xFF, 0xFE, 0xE9, 0x00], "\u{E9}"),
            ([0xFE, 0xFF, 0x00, 0xE9, 0xD8, 0x3D, 0xDE, 0x00], "\u{E9}\u{1F600}"),
            ([0xFF, 0xFE, 0x3D, 0xD8, 0x00, 0xDE, 0x61, 0x00], "\u{1F600}a"),
            ([0x61, 0xEF, 0xBB, 0xBF, 0x62], "a\u{FEFF}b"), ([0xEF, 0x61], "\u{FFFD}a"),
            ([0xFF, 0x61], "\u{FFFD}a"),
        ] as [([UInt8], String)])
    func `a streamed string obeys its byte order mark, wherever the pieces are split`(
        bytes: [UInt8], text: String
    ) {
        for size in 1...bytes.count {
            let serializer = StringStreamSerializer()
            var found = ""
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = Array(bytes[start..<min(start + size, bytes.count)])
                found += serializer.serialize(piece) ?? ""
            }
            #expect(Array(found.unicodeScalars) == Array(text.unicodeScalars), "\(size)")
        }
    }

    @Test func `a stream request's validator gets the response head and can reject the response`()
        async throws
    {
        struct Refused: Error {}
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        let request = Session.default.streamRequest(server.url).validate { request, head in
            if request?.method == .get, head.status == 200 { throw Refused() }
        }
        let error = await #expect(throws: ClientError.self) {
            for try await _ in request.streamingData() {}
        }
        #expect(error?.underlying is Refused)
    }
}
